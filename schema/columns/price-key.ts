import type { ColumnHome } from './column.ts'

/** The functions that Trino and DuckDB spell differently. */
export interface Dialect {
  /** The MD5 of a text's UTF-8, in lower-case hex. */
  readonly hash: (text: string) => string
  /** The elements of a list as one text. */
  readonly join: (list: string, separator: string) => string
  /**
   * Where a list is unnested for conditions on other columns to reach the files: in the SELECT of its table, or by a
   * join behind that of the smaller table (docs/adr/0039).
   */
  readonly unnests: 'in the SELECT' | 'by a join'
}

/** Athena's, too. */
export const trino: Dialect = {
  hash: (text) => `lower(to_hex(md5(to_utf8(${text}))))`,
  join: (list, separator) => `array_join(${list}, '${separator}')`,
  unnests: 'by a join',
}

export const duckdb: Dialect = {
  hash: (text) => `md5(${text})`,
  join: (list, separator) => `array_to_string(${list}, '${separator}')`,
  unnests: 'in the SELECT',
}

interface Hashed {
  readonly texts: readonly string[]
  /** Sorted and distinct; never empty. */
  readonly sets: readonly string[]
}

/** As published; a list of several elements is one whose joined text depends on the separator. */
const networks = ({ join }: Dialect) =>
  `CASE WHEN ${join('network_name', ',')} = ${join('network_name', ';')} THEN network_name ELSE array_sort(array_distinct(network_name)) END`

/**
 * The columns of each table that are hashed, before the join: a price is joined to thousands of NPIs. Networks stand
 * for plans if they are published, else plan ids if they are in the rows, else the plan's name.
 */
const partsOf = (dialect: Dialect): Readonly<Record<ColumnHome, Readonly<Record<string, Hashed>>>> => ({
  providers: {},
  fee_schedule_sources: {
    payer_key: { texts: ['payer'], sets: [] },
    plan_key: { texts: ['payer', 'CASE WHEN plan_ids IS NULL THEN plan END'], sets: ['plan_ids'] },
  },
  provider_groups: { tin_key: { texts: ['tin_type', 'tin_value'], sets: [networks(dialect)] } },
  negotiated_rates: {
    terms_key: {
      texts: [
        ...['billing_code_type', 'billing_code', 'rate_unit', 'negotiated_type', 'negotiation_arrangement'],
        ...['billing_class', 'setting', 'severity_of_illness', 'additional_information'],
      ],
      sets: ['service_code', 'billing_code_modifier', 'bundled_codes', 'covered_services'],
    },
  },
})

/** Returns a table with the hashes of its columns. */
export function withKeys(table: ColumnHome, columns: readonly string[], dialect: Dialect): string {
  return `(SELECT ${[...columns, ...keysOf(table, dialect)].join(', ')} FROM ${table}) AS ${table}`
}

/** Returns the hashes that `priceKey` takes from a table, as items of a SELECT of that table. */
export function keysOf(table: ColumnHome, dialect: Dialect): readonly string[] {
  return Object.entries(partsOf(dialect)[table]).map(([name, part]) => `${hashPart(part, dialect)} AS ${name}`)
}

/**
 * Writes all values twice, with different separators and different characters for NULL: where the halves differ, there
 * is no value. So no two lists of values give the same text.
 */
function hashPart({ texts, sets }: Hashed, { hash, join }: Dialect): string {
  const write = (end: string, separator: string, none: string) =>
    [...texts, ...sets.map((set) => join(set, separator))].flatMap((text) => [
      `COALESCE(${text}, '${none}')`,
      `'${end}'`,
    ])
  return hash(`concat(${[...write(',', '/', '!'), ...write(';', '|', '?')].join(', ')})`)
}

/**
 * The column `price_key`: hashes of the facts that stay the same from month to month (docs/adr/0031). It is long enough
 * for 10^9 prices. A hash of the hashes would not compress in a dictionary, and double the size of results.
 */
export const priceKey: string = `concat(${[
  'substr(CASE WHEN network_name IS NULL THEN plan_key ELSE payer_key END, 1, 12)',
  'substr(tin_key, 1, 16)',
  'substr(terms_key, 1, 16)',
].join(', ')})`
