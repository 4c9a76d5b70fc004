/** A Trino type name (`varchar`, `decimal(18,4)`, `array(varchar)`). */
export type TypeName = string

/** Quotes an identifier for DuckDB. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** Quotes a string for DuckDB. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** Converts a Trino type name to DuckDB's; only lists differ. */
export function writeType(type: TypeName): string {
  const element = /^array\((.*)\)$/.exec(type)?.[1]
  return element === undefined ? type : `${writeType(element)}[]`
}

/** Converts a DuckDB type name to Trino's. */
export function readType(duckdbType: string): TypeName {
  const element = /^(.*)\[\]$/.exec(duckdbType)?.[1]
  if (element !== undefined) return `array(${readType(element)})`
  return duckdbType === 'FLOAT' ? 'real' : duckdbType.toLowerCase()
}

/**
 * Trino's functions in the service's statements, as macros of DuckDB that have the same results for the arguments that
 * statements use. `npm run test:trino` compares the rows of both engines.
 */
export const trinoFunctions: readonly string[] = [
  // `md5` gives the hash of a text in lower-case hex here, and its bytes in Trino, which takes the bytes of the text.
  'to_utf8(text) AS text',
  'to_hex(digest) AS upper(digest)',
  'array_join(list, separator) AS array_to_string(list, separator)',
  // `list_has_any` takes four times as long for a short list and a longer one.
  'arrays_overlap(one, other) AS len(list_filter(one, lambda element: list_contains(other, element))) > 0',
  'element_at(collection, key) AS collection[key]',
  'cardinality(list) AS len(list)',
  'json_format(json) AS CAST(json AS varchar)',
  'bitwise_and(one, other) AS one & other',
  'bitwise_or(one, other) AS one | other',
  'bitwise_and_agg(number) AS bit_and(number)',
  'map_agg(key, value) AS map(list(key), list(value))',
].map((macro) => `CREATE MACRO ${macro}`)
