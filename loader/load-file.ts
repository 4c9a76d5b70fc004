import type { FeeSchedule } from '../core/fee-schedule.ts'
import { findNameFault, normaliseName } from '../core/fee-schedule.ts'
import { warehouseTables } from '../core/warehouse.ts'
import { Findings } from './findings.ts'
import { flattenRates } from './flatten-rates.ts'
import type { InNetworkFile } from './in-network-file.ts'
import { readInNetworkFile } from './in-network-file.ts'
import { JsonObject } from './json-object.ts'
import { LoadRefused } from './load-refused.ts'
import type { FileReport } from './load-report.ts'
import type { ProviderGroups } from './provider-groups.ts'
import { flattenProviderGroups, gatherProviderGroups } from './provider-groups.ts'
import { parsePublishedDate } from './published-date.ts'
import type { PublishedFile } from './published-file.ts'
import type { StagedSource } from './warehouse-folder.ts'
import type { Row } from './warehouse-row.ts'
import { writeParquet } from './warehouse-writer.ts'

/** The names that the operator gives in place of those in the files. */
export interface GivenNames {
  readonly payer?: string | undefined
  readonly plan?: string | undefined
}

/** What of a file counts for the catalogue, and what the operator is told of it. */
export interface StagedFile {
  readonly feeSchedule: FeeSchedule
  readonly planId: string | undefined
  /** `YYYY-MM-DD`; undefined where the file states none that can be read. */
  readonly lastUpdatedOn: string | undefined
  readonly report: FileReport
}

/**
 * Writes the three tables of one file into a source's staging folder.
 *
 * @throws LoadRefused where the file's structure is not that of an in-network file, or it names no fee schedule
 */
export async function stageFile(
  published: PublishedFile,
  names: GivenNames,
  sourceId: string,
  staged: StagedSource,
): Promise<StagedFile> {
  const file = readInNetworkFile(new JsonObject(published.content, published.path))
  const feeSchedule = nameFeeSchedule(file, names, published.path)
  const findings = new Findings()
  const lastUpdatedOn = parsePublishedDate(file.lastUpdatedOn)
  if (lastUpdatedOn === undefined) findings.count('unreadable-date', 'last_updated_on')

  const groups = gatherProviderGroups(file.providerReferences, findings)
  const tally = { prices: 0, rates: 0 }
  const priceIdOf = (ordinal: number) => `${published.contentHash.slice(0, 16)}-${ordinal}`
  const rows = {
    negotiated_rates: tallyRates(flattenRates(file.items, { groups, priceIdOf, findings }), groups, tally),
    provider_groups: flattenProviderGroups(groups),
    source_plans: [planRow(file, feeSchedule, lastUpdatedOn, published.name)],
  }
  for (const table of warehouseTables) {
    await writeParquet(table, rows[table.name], { path: staged.fileOf(table), scratch: staged.scratch })
  }

  const report = {
    file: published.path,
    bytes: published.bytes,
    sourceId,
    feeSchedule,
    ...tally,
    findings: findings.list(),
  }
  return { feeSchedule, planId: file.planId, lastUpdatedOn, report }
}

/** The names that searches use. Source: CMS schema, `issuer_name`, `reporting_entity_name`, `plan_name`. */
function nameFeeSchedule(file: InNetworkFile, given: GivenNames, path: string): FeeSchedule {
  const plan = given.plan ?? file.planName
  if (plan === undefined) throw new LoadRefused(path, 'names no plan (no plan_name): say which plan it is for')
  return {
    payer: readName(given.payer ?? file.issuerName ?? file.reportingEntityName, 'payer', path),
    plan: readName(plan, 'plan', path),
  }
}

function readName(text: string, role: keyof FeeSchedule, path: string): string {
  const fault = findNameFault(text)
  if (fault !== undefined) throw new LoadRefused(path, `the name of its ${role} ${fault}`)
  return normaliseName(text)
}

function planRow(
  file: InNetworkFile,
  { payer, plan }: FeeSchedule,
  lastUpdatedOn: string | undefined,
  sourceFile: string,
): Row {
  return {
    payer,
    plan,
    plan_id: file.planId ?? null,
    plan_id_type: file.planIdType?.trim().toLowerCase() ?? null,
    reporting_entity_name: file.reportingEntityName,
    last_updated_on: lastUpdatedOn ?? null,
    source_file: sourceFile,
  }
}

/** Counts, on their way to the warehouse, the prices and the rows that they make in `rates`. */
function* tallyRates(
  rows: Iterable<Row>,
  groups: ProviderGroups,
  tally: { prices: number; rates: number },
): Generator<Row> {
  let lastPrice: unknown
  for (const row of rows) {
    if (row['price_id'] !== lastPrice) tally.prices++
    lastPrice = row['price_id']
    tally.rates += groups.get(String(row['provider_group_key']))?.rowCount ?? 0
    yield row
  }
}
