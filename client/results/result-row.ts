/** A row of a result, by column: texts, whole numbers, decimals, dates, lists of them, and null. */
export type ResultRow = Readonly<Record<string, unknown>>
