/** A row of the result as JSON: values by column. */
export type JsonRow = Record<string, unknown>
