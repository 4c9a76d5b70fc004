/** Two results cannot be compared. The message says why, and what to do. */
export class NotComparable extends Error {
  override readonly name = 'NotComparable'
}
