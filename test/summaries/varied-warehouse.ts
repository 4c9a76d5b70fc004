import { join } from 'node:path'
import { nppesMonthUnit, providersTable } from '../../schema/columns/providers-table.ts'
import { folderPath } from '../../schema/columns/warehouse-tables.ts'
import { sqlText, writeParquet, writePartition } from '../local/athena/warehouse-fixture.ts'

/**
 * A warehouse in which everything varies that a summary looks at: files that repeat each other, prices with two rows,
 * places, networks, flags, modifiers, whole TINs and providers. Values are hashes of a row's number, so that every run
 * has the same.
 */

export const variedPlans = [
  { payer: 'Acme Health', plan: 'Gold PPO' },
  { payer: 'Acme Health', plan: 'Silver PPO' },
] as const
export const variedContents = ['varied1', 'varied2'] as const
export const variedCodes = ['99213', '73721', '00'] as const
/** Networks of some groups, and one that no group has. */
export const variedNetworks = ['North', 'South', 'N3', 'Nowhere'] as const
export const variedTins = ['10', '11', '12', '13', '14'] as const
export const variedNpis = [0, ...Array.from({ length: 12 }, (_, index) => 1_000_000_000 + index)]
export const variedMonth = 'varied'

const sources = ['v1', 'v2', 'v3'] as const

/** Picks one of some SQL expressions by the hash of others. */
const pick = (salt: string, of: string, choices: readonly string[]) =>
  `[${choices.join(', ')}][1 + CAST(hash('${salt}' || ${of}) % ${choices.length} AS bigint)]`

/** Prices are numbered from 0; every fifth has a second row, with other groups and flags. */
const price = '(range - CAST(range % 5 = 1 AS bigint))'

/** A list of numbered texts. */
const listOf = (letter: string, length: number) => `list_transform(range(${length}), lambda n: '${letter}' || n)`

/** Places of a few prices: the most that a summary tells apart, one more, and those that make 20 networks many. */
const longPlaces = `CASE ${price} % 60 ${[100, 101, 51].map((length, index) => `WHEN ${index} THEN ${listOf('P', length)}`).join(' ')} END`

/** @param prices number of rows of prices in each file */
export async function writeVariedWarehouse(folder: string, prices: number): Promise<void> {
  for (const [index, contentId] of variedContents.entries()) {
    // The second file is in both plans; the third says the same as the first.
    for (const sourceId of index === 0 ? sources : sources.slice(1, 2))
      await writePartition(folder, {
        table: 'fee_schedule_sources',
        sourceId,
        contentId,
        values: {
          payer: sqlText(variedPlans[index]?.payer ?? ''),
          plan: sqlText(variedPlans[index]?.plan ?? ''),
          reporting_entity_name: "'Acme'",
          last_updated_on: `DATE '2026-10-0${sources.indexOf(sourceId) + 1}'`,
          source_file: sqlText(`${sourceId}.json`),
          plan_id_count: '0',
          load_id: "'load-1'",
          source_id: sqlText(sourceId),
          price_id_prefix: sqlText(`prefix-${sourceId}`),
        },
      })
  }
  for (const sourceId of sources) {
    const file = sourceId === 'v3' ? 'v1' : sourceId
    await writePartition(folder, { table: 'provider_groups', sourceId, values: groupValues(file), from: 'range(60)' })
    await writePartition(folder, {
      table: 'negotiated_rates',
      sourceId,
      values: priceValues(file),
      from: `range(${prices})`,
    })
  }
  await writeProviders(folder)
}

function groupValues(file: string) {
  const pickOf = (salt: string, choices: readonly string[], of = 'range') => pick(`${file}${salt}`, of, choices)
  return {
    provider_group_key: "'g' || (range % 7)",
    npi: pickOf('npi', variedNpis.map(String)),
    tin_type: "CASE WHEN range % 4 = 0 THEN 'npi' ELSE 'ein' END",
    tin_value: pickOf('tin', variedTins.map(sqlText)),
    network_name: pickOf(
      'network',
      ['NULL', "['North']", "['North', 'South']", listOf('N', 10), listOf('N', 20), listOf('N', 101)],
      'range % 7',
    ),
    provider_group_npi_count: '1',
    provider_group_tin_count: '1',
  }
}

function priceValues(file: string) {
  const pickOf = (salt: string, choices: readonly string[], of = price) => pick(`${file}${salt}`, of, choices)
  const amounts = Array.from({ length: 40 }, (_, index) => `${100 + index * 7.25}`)
  return {
    provider_group_keys: `['g' || (range % 7), 'g' || (range % 3)]`,
    billing_code_type: pickOf('type', ["'CPT'", "'CPT'", "'CPT'", "'CSTM-ALL'"]),
    billing_code: pickOf('code', variedCodes.map(sqlText)),
    billing_code_published: pickOf('code', variedCodes.map(sqlText)),
    name: pickOf('name', ["'Visit'", "'Scan'", 'NULL']),
    negotiated_rate: pickOf('rate', amounts),
    rate_unit: pickOf('unit', ["'usd'", "'usd'", "'usd'", "'percent_of_charges'"]),
    negotiated_type: "'negotiated'",
    negotiation_arrangement: "'ffs'",
    billing_class: pickOf('class', ["'professional'", "'professional'", 'NULL']),
    service_code: `coalesce(${longPlaces}, ${pickOf('places', ['NULL', "['11']", "['11', '22']", "['CSTM-00']"])})`,
    billing_code_modifier: pickOf('modifier', ['NULL', 'NULL', "['26']"]),
    expiration_date: pickOf('expiry', ["DATE '9999-12-31'", "DATE '9999-12-31'", "DATE '2020-01-01'"]),
    amount_flags: pickOf(
      'flags',
      ['NULL', 'NULL', 'NULL', "['blanket']", "['outlier_high']", "['placeholder']", "['blanket', 'outlier_low']"],
      'range',
    ),
    price_ordinal: price,
  }
}

/** Half of the providers are in NPPES. */
async function writeProviders(folder: string): Promise<void> {
  const place = (salt: string, choices: readonly string[]) => pick(salt, 'range', choices.map(sqlText))
  const values: Readonly<Record<string, string>> = {
    npi: `CAST(1000000000 + 2 * range AS bigint)`,
    provider_state: place('state', ['TX', 'OR']),
    provider_zip: place('zip', ['77030', '97205']),
    provider_taxonomy: place('taxonomy', ['207R00000X', '2085R0202X']),
    nppes_month_id: sqlText(variedMonth),
  }
  const items = providersTable.columns.map(({ name, type }) => `CAST(${values[name] ?? 'NULL'} AS ${type}) AS ${name}`)
  const path = join(folder, folderPath(providersTable, nppesMonthUnit(variedMonth)))
  await writeParquet(path, `SELECT ${items.join(', ')} FROM range(6)`, `${variedMonth}.00000.parquet`)
}
