import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { trinoType } from '../../schema/columns/column.ts'
import { ratesColumns } from '../../schema/columns/rates.ts'
import { startStandIn } from './stand-in/stand-in.ts'
import { writeResultFiles } from './write-result-files.ts'

/**
 * Lets a real Trino write two files into test/fixtures/trino-parquet: one row of a result, as the reference for the
 * physical types of a shard, and many rows of some columns, as the reference for pages and dictionaries. Run
 * `node test/trino/write-fixture.ts` with `TRINO_HOME` and `JAVA_HOME` set as for the tests.
 */

const values: Readonly<Record<string, string>> = {
  payer: "'Payer'",
  plan: "'Plan'",
  npi: '1234567893',
  billing_code_type: "'CPT'",
  billing_code: "'99213'",
  negotiated_rate: '123.45',
  rate_unit: "'usd'",
  negotiated_type: "'negotiated'",
  negotiation_arrangement: "'ffs'",
  billing_class: "'professional'",
  setting: "'outpatient'",
  service_code: "ARRAY['11']",
  billing_code_modifier: "ARRAY['26']",
  expiration_date: "DATE '9999-12-31'",
  billing_code_type_version: "'2026'",
  billing_code_published: "'99213'",
  name: "'n'",
  description: "'d'",
  tin_type: "'ein'",
  tin_value: "'111111111'",
  tin_business_name: "'Group'",
  network_name: "ARRAY['Choice']",
  provider_group_id: "'1'",
  provider_group_npi_count: '5',
  provider_group_tin_count: '2',
  price_id: "'p-1'",
  plan_ids: "ARRAY['ein|222222222', 'hios|00']",
  plan_id_count: '2',
  reporting_entity_name: "'Entity'",
  last_updated_on: "DATE '2026-08-01'",
  source_file: "'f.json'",
  flags: "ARRAY['blanket', 'expired']",
}

await using standIn = await startStandIn()
const select = ratesColumns.map(({ name, type }) => `CAST(${values[name] ?? 'NULL'} AS ${trinoType(type)}) AS ${name}`)
await writeTable('one_row', `SELECT ${select.join(', ')}`, 'one-row-trino-476.parquet')

const manyRows = `
  SELECT 1000000000 + n * 7919 % 999983 AS npi, CAST(n * 31 % 9973 AS decimal(18, 4)) / 100 AS negotiated_rate,
    'Plan ' || CAST(n % 7 AS varchar) AS plan, IF(n % 3 > 0, 'Name ' || CAST(n * 17 % 4999 AS varchar)) AS name,
    date_add('day', n % 400, DATE '2026-01-01') AS expiration_date,
    IF(n % 5 > 0, transform(sequence(1, 1 + n * 13 % 9), i -> CAST(i * n % 97 AS varchar))) AS service_code,
    IF(n % 1000 = 999, ARRAY['26', 'TC']) AS billing_code_modifier
  FROM UNNEST(sequence(0, 9999)) AS t (low) CROSS JOIN UNNEST(sequence(0, 1)) AS u (high)
    CROSS JOIN UNNEST(ARRAY[high * 10000 + low]) AS v (n)`
await writeTable('many_pages', manyRows, 'many-pages-trino-476.parquet')

async function writeTable(table: string, query: string, name: string): Promise<void> {
  const [file, ...others] = await writeResultFiles(standIn, table, query)
  if (file === undefined || others.length > 0) throw new Error(`Trino wrote ${others.length} further files of ${table}`)
  const fixture = join(import.meta.dirname, '../fixtures/trino-parquet', name)
  await copyFile(file, fixture)
  process.stdout.write(`${fixture}\n`)
}
