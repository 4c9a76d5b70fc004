/** A row of the result, as JSON has it: values by column. */
export type JsonRow = Record<string, unknown>
