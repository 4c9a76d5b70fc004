/** Options for reading a value. */
export interface ValueOptions {
  /** JSON path of the value, for messages. */
  readonly path: () => string
  /** Maximum length of the value's text in bytes. */
  readonly limit: number
  /** True if numbers in fields are ids, and keep their characters. Numbers in arrays always keep them. */
  readonly keepsFields?: boolean
}
