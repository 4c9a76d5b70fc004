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
