/** Why the way through an identity provider led nowhere, and what the person can do. */
interface Explained {
  title: string
  advice: string
}

const problems: Readonly<Record<string, Explained>> = {
  unknown_provider: {
    title: 'There is no such provider',
    advice: 'This deployment does not sign in with it. Choose another way.',
  },
  provider_away: {
    title: 'The provider does not answer',
    advice: 'It cannot be reached at the moment. Try again later, or choose another way.',
  },
  provider_refused: {
    title: 'The provider has refused',
    advice: 'You have not agreed there, or may not use this service with your account.',
  },
  provider_wrong: {
    title: 'The answer of the provider does not hold',
    advice: 'Nobody was signed in. If this happens again, tell the operator of the service.',
  },
  not_begun: {
    title: 'This sign-in was not begun here',
    advice: 'It has expired, was used already, or began in another browser. Begin again.',
  },
  email_unverified: {
    title: 'The provider has not verified your address',
    advice: 'Have it verified there, or sign in another way.',
  },
  domain_not_allowed: {
    title: 'Your address is not of an allowed domain',
    advice: 'Use your account at your company.',
  },
  unknown_user: {
    title: 'You are no member here',
    advice: 'Nobody with the address of this account is. Ask for an invitation.',
  },
  account_unverified: {
    title: 'Nobody has verified your address here',
    advice:
      'Sign in with your password, and connect the provider in your settings. From then on you can sign in with it.',
  },
  other_identity: {
    title: 'Another account of the provider is connected',
    advice: 'Use the one that you used before, or disconnect it in your settings first.',
  },
  other_account: {
    title: 'The account of the provider belongs to somebody else',
    advice: 'It is connected to another user here.',
  },
  no_organization: {
    title: 'You act for no organization',
    advice: 'You are known here, but your organization is suspended or gone. Ask the operator.',
  },
}

export const explained = (problem: string): Explained =>
  problems[problem] ?? { title: 'That did not work', advice: 'Choose another way to sign in.' }
