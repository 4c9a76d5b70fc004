/**
 * Sets a column of rows, each of which names a record: to one number of its record. Column by column this takes half
 * the time of setting all columns row by row.
 *
 * @param records the numbers of all records, one after the other
 * @param size how many numbers a record has
 * @param place which of them
 * @param recordOf by row
 */
export function pickNumbers(
  records: Uint32Array,
  size: number,
  place: number,
  recordOf: Uint32Array,
  target: Uint32Array,
): void {
  for (let row = 0; row < recordOf.length; row++) target[row] = records[(recordOf[row] ?? 0) * size + place] ?? 0
}
