/** Which rates a load keeps: a list left out keeps all. */
export interface LoadFilter {
  /** SHA-256 of the lists in their canonical form, in hex. */
  readonly id: string
  readonly codes?: readonly string[]
  readonly npis?: readonly number[]
  readonly networks?: readonly string[]
}
