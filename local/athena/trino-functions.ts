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
  'map_agg(key, value) AS map(list(key), list(value))',
].map((macro) => `CREATE MACRO ${macro}`)
