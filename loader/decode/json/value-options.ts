/** How a value is read. */
export interface ValueOptions {
  /** JSON path of the value, for messages. */
  readonly path: () => string
  /** Maximum length of the value's text in bytes. */
  readonly limit: number
  /** Whether numbers in fields are ids and keep their characters; numbers in arrays always do. */
  readonly keepsFields?: boolean
}
