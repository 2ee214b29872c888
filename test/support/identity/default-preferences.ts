/** What a person is answered who has chosen nothing yet (contract 12). */
export const defaultPreferences = {
  theme: 'system',
  density: 'comfortable',
  time_zone: null,
  notices: {
    approval_wanted: true,
    payment_failed: true,
    endpoint_failing: true,
    key_expiring: true,
  },
  first_steps: { signature_verified: false, proof_verified: false },
  updated_at: null,
}
