import { writeByDuckdb } from '../../parquet/write-by-duckdb.ts'

/** SQL of the columns of a result that are alike in all rows, unless a test names them. */
const alike: Readonly<Record<string, string>> = {
  payer: "'Acme'",
  plan: "'Gold'",
  billing_code_type: "'CPT'",
  billing_code: "'73721'",
  name: "'MRI of a leg joint'",
  billing_code_modifier: 'NULL::VARCHAR[]',
  negotiated_rate: '100 + i',
  rate_unit: "'usd'",
  negotiated_type: "'negotiated'",
  negotiation_arrangement: "'ffs'",
  billing_class: "'professional'",
  setting: "'outpatient'",
  service_code: "['11']",
  severity_of_illness: 'NULL::VARCHAR',
  additional_information: 'NULL::VARCHAR',
  bundled_codes: 'NULL::VARCHAR[]',
  covered_services: 'NULL::VARCHAR[]',
  flags: 'NULL::VARCHAR[]',
  npi: '1000000000 + i',
  tin_type: "'ein'",
  tin_value: "lpad(i::VARCHAR, 9, '0')",
  tin_business_name: "'Practice ' || i",
  provider_name: 'NULL::VARCHAR',
  source_file: "'gold.json'",
  provider_group_npi_count: '1',
  price_id: "'price-' || i",
  last_updated_on: "DATE '2026-11-01'",
}

/**
 * Writes a file of a result.
 *
 * @param columns SQL of columns by the number of a row, `i`
 */
export async function writeResult(rows: number, columns: Readonly<Record<string, string>> = {}): Promise<ArrayBuffer> {
  const items = Object.entries({ ...alike, ...columns }).map(([name, sql]) =>
    name === 'negotiated_rate' ? `(${sql})::DECIMAL(18, 4) AS ${name}` : `${sql} AS ${name}`,
  )
  return (await writeByDuckdb(`SELECT ${items.join(', ')} FROM range(${rows}) t(i)`)).buffer
}
