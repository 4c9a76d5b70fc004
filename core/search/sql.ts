/** The pieces of a statement, in SQL that Trino and DuckDB read alike. */

export const distinct = (values: readonly string[]) => [...new Set(values)]

export const isIn = (column: string, literals: readonly string[]) => `${column} IN (${literals.join(', ')})`

/** SQL only needs quotes doubled; backslashes, line breaks and any Unicode are ordinary characters. */
export const literal = (text: string) => `'${text.replaceAll("'", "''")}'`
