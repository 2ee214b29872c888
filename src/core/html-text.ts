/** Text inside of HTML. */
const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export const escaped = (content: string): string =>
  content.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character)
