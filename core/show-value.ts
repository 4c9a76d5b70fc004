/** A value that a client sent, as it may stand in a message: short, and printable whatever it holds. */
export function showValue(value: unknown): string {
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' && value !== null ? 'an object' : printable(JSON.stringify(value) ?? 'undefined')
}

/** A text that a client sent: at most 60 characters of it, with what cannot be printed escaped. */
export function printable(text: string): string {
  const escaped = text
    .toWellFormed()
    .replace(/\p{Cc}/gu, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return escaped.length > 60 ? `${[...escaped].slice(0, 60).join('')}…` : escaped
}
