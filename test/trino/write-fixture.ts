import { copyFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { trinoType } from '../../lib/warehouse/rates-view.ts'
import { ratesColumns } from '../../schema/columns/rates.ts'
import { catalog, runOnTrino } from './run-on-trino.ts'
import { startTrino } from './trino-server.ts'

/**
 * Lets a real Trino write one row of a result into test/fixtures/trino-parquet, as the reference for the physical types
 * of a shard: `node test/trino/write-fixture.ts`, with `TRINO_HOME` and `JAVA_HOME` set as for the tests.
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
  price_id: "'p-1'",
  plan_ids: "ARRAY['ein|222222222', 'hios|00']",
  plan_id_count: '2',
  reporting_entity_name: "'Entity'",
  last_updated_on: "DATE '2026-08-01'",
  source_file: "'f.json'",
}

const { TRINO_HOME: home = '', JAVA_HOME: java = '' } = process.env
await using trino = await startTrino(home, join(java, 'bin', 'java'))
await runOnTrino(trino.url, `CREATE SCHEMA ${catalog}.fixture WITH (location = 'local:///metastore/fixture')`)
const select = ratesColumns.map(({ name, type }) => `CAST(${values[name] ?? 'NULL'} AS ${trinoType(type)}) AS ${name}`)
const create = `CREATE TABLE one_row WITH (format = 'PARQUET') AS SELECT ${select.join(', ')}`
await runOnTrino(trino.url, create, 'fixture')
const folder = join(trino.folder, 'metastore', 'fixture', 'one_row')
const [file = ''] = (await readdir(folder)).filter((name) => !name.startsWith('.'))
const fixture = join(import.meta.dirname, '../fixtures/trino-parquet/one-row-trino-476.parquet')
await copyFile(join(folder, file), fixture)
process.stdout.write(`${fixture}\n`)
