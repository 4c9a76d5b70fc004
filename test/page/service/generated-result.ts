import { readFileSync } from 'node:fs'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'

/**
 * Writes generated rows to files and runs a query over all of them: prices that repeat for NPIs, TINs and plans, with
 * modifiers, classes, units, types and places, in an order that puts a plan's rows together.
 */
export async function generateResult(
  { rows, files, seed }: { rows: number; files: number; seed: number },
  sql: string,
) {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'read-rows-'))
  const connection = await (await DuckDBInstance.create()).connect()
  const pick = (salt: string, ...values: readonly string[]) =>
    `[${values.join()}][1 + (hash(price, ${seed}, '${salt}') % ${values.length})::INTEGER]`

  const modifiers = pick('modifier', 'NULL::VARCHAR[]', "['26']", "['26', 'TC']")
  await connection.run(`CREATE TABLE rates AS
    SELECT ${pick('payer', "'Acme'", "'Zenith'")} AS payer, 'Plan ' || copy % 3 AS plan, 'CPT' AS billing_code_type,
      (90000 + hash(price, ${seed}, 'code') % 5)::VARCHAR AS billing_code, 'Name' AS name,
      ${modifiers} AS billing_code_modifier,
      (hash(price, ${seed}, 'rate') % 50000 / 100)::DECIMAL(18, 4) AS negotiated_rate,
      ${pick('unit', "'usd'", "'usd'", "'percent_of_charges'")} AS rate_unit,
      ${pick('type', "'negotiated'", "'derived'")} AS negotiated_type, 'ffs' AS negotiation_arrangement,
      ${pick('class', "'professional'", "'institutional'", 'NULL')} AS billing_class, NULL::VARCHAR AS setting,
      ${pick('place', "['11']", "['11', '22']", "['CSTM-00']")} AS service_code,
      NULL::VARCHAR AS severity_of_illness, NULL::VARCHAR AS additional_information,
      NULL::VARCHAR[] AS bundled_codes, NULL::VARCHAR[] AS covered_services,
      CASE WHEN copy < 2 THEN 0 ELSE 1000000000 + copy // 2 END AS npi,
      CASE WHEN copy % 3 = 0 THEN 'npi' ELSE 'ein' END AS tin_type, (copy // 3)::VARCHAR AS tin_value,
      NULL::VARCHAR AS tin_business_name, NULL::VARCHAR AS provider_name, NULL::VARCHAR[] AS flags,
      'price-' || price AS price_id
    FROM (SELECT i // 12 AS price, i % 12 AS copy FROM range(${rows}) t(i)) ORDER BY payer, plan, price`)
  const buffers: ArrayBuffer[] = []
  for (let file = 0; file < files; file++) {
    const path = join(folder.path, `${file}.parquet`)
    const share = `LIMIT ${Math.ceil(rows / files)} OFFSET ${Math.ceil(rows / files) * file}`
    await connection.run(`COPY (FROM rates ${share}) TO '${path}' (FORMAT parquet, ROW_GROUP_SIZE 2048)`)
    buffers.push(new Uint8Array(readFileSync(path)).buffer)
  }
  const found = (await connection.runAndReadAll(sql)).getRowsJson()
  connection.closeSync()
  return { files: buffers, found }
}
