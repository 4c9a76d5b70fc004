import type { ColumnHome } from './column.ts'

/**
 * The SQL of this file is Trino's, and so Athena's; the local Athena has the functions as macros
 * (`local/athena/duckdb-sql.ts`).
 */

/** Writes the MD5 of a text's UTF-8, in lower-case hex. */
const hash = (text: string) => `lower(to_hex(md5(to_utf8(${text}))))`

/** Writes the elements of a list as one text. */
const join = (list: string, separator: string) => `array_join(${list}, '${separator}')`

interface Hashed {
  readonly texts: readonly string[]
  /** Sorted and distinct; never empty. */
  readonly sets: readonly string[]
}

/** As published; a list of several elements is one whose joined text depends on the separator. */
const networks = `CASE WHEN ${join('network_name', ',')} = ${join('network_name', ';')} THEN network_name ELSE array_sort(array_distinct(network_name)) END`

/**
 * The columns of each table that are hashed, before the join: a price is joined to thousands of NPIs. Networks stand
 * for plans if they are published, else plan ids if they are in the rows, else the plan's name.
 */
const parts: Readonly<Record<ColumnHome, Readonly<Record<string, Hashed>>>> = {
  providers: {},
  fee_schedule_sources: {
    payer_key: { texts: ['payer'], sets: [] },
    plan_key: { texts: ['payer', 'CASE WHEN plan_ids IS NULL THEN plan END'], sets: ['plan_ids'] },
  },
  provider_groups: { tin_key: { texts: ['tin_type', 'tin_value'], sets: [networks] } },
  negotiated_rates: {
    terms_key: {
      texts: [
        ...['billing_code_type', 'billing_code', 'rate_unit', 'negotiated_type', 'negotiation_arrangement'],
        ...['billing_class', 'setting', 'severity_of_illness', 'additional_information'],
      ],
      sets: ['service_code', 'billing_code_modifier', 'bundled_codes', 'covered_services'],
    },
  },
}

/** Returns a table with the hashes of its columns. */
export function withKeys(table: ColumnHome, columns: readonly string[]): string {
  return `(SELECT ${[...columns, ...keysOf(table)].join(', ')} FROM ${table}) AS ${table}`
}

/** Returns the hashes that `priceKey` takes from a table, as items of a SELECT of that table. */
export function keysOf(table: ColumnHome): readonly string[] {
  return Object.entries(parts[table]).map(([name, part]) => `${hashPart(part)} AS ${name}`)
}

/**
 * Writes all values twice, with different separators and different characters for NULL: where the halves differ, there
 * is no value. So no two lists of values give the same text.
 */
function hashPart({ texts, sets }: Hashed): string {
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
