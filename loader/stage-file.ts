import type { FeeSchedule } from '../core/fee-schedule.ts'
import { feeScheduleKey, findNameFault, normaliseName } from '../core/fee-schedule.ts'
import type { LoadFilter } from '../core/load-filter.ts'
import { joinStaged, writeTables } from './assemble-tables.ts'
import { identifyAddress } from './file-address.ts'
import type { FileFinder } from './file-finder.ts'
import { Findings } from './findings.ts'
import type { FileHeader } from './in-network-file.ts'
import { JsonStream } from './json-stream.ts'
import { LoadRefused } from './load-refused.ts'
import type { FileReport } from './load-report.ts'
import type { PublishedBytes } from './published-bytes.ts'
import { openPublishedBytes } from './published-bytes.ts'
import { parsePublishedDate } from './published-date.ts'
import type { InNetworkVisitor } from './read-in-network.ts'
import { readInNetwork } from './read-in-network.ts'
import { readReferenceFile } from './reference-file.ts'
import { refuseSkipped } from './refuse-skipped.ts'
import { createRowFilter } from './row-filter.ts'
import { PriceStage } from './stage-prices.ts'
import { ProviderStage } from './stage-providers.ts'
import { StagingDatabase } from './staging-database.ts'
import type { StagedPart } from './warehouse-folder.ts'

/** The names that the operator gives in place of those in the files. */
export interface GivenNames {
  readonly payer?: string | undefined
  readonly plan?: string | undefined
}

/** A plan that a file serves, as a table of contents or the file itself names it. */
export interface ServedPlan extends FeeSchedule {
  readonly planId: string | undefined
  readonly planIdType: string | undefined
}

/** How a file is staged. */
export interface StageOptions {
  /** The plans that a table of contents lists the file for; absent where the file names its own. */
  readonly plans?: readonly ServedPlan[] | undefined
  readonly names: GivenNames
  /** Finds the files that the file points to. */
  readonly finder: FileFinder
  /** Whether files that the file points to may be missing. */
  readonly partial: boolean
  /** The largest share of prices, items, provider groups or NPIs that may be skipped. */
  readonly maxSkipped: number
  /** Whether the first value that is lost or has the wrong type refuses the file. */
  readonly strict: boolean
  /** Which rates are kept; all if absent. */
  readonly filter?: LoadFilter | undefined
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: FileProgress) => void) | undefined
}

export interface FileProgress {
  readonly bytesRead: number
  /** Undefined where the file comes through a pipe. */
  readonly size: number | undefined
  readonly prices: number
  /** Whether all is read, and the tables are being written. */
  readonly isRead: boolean
}

/** What of a file counts for the catalogue, and what the operator is told of it. */
export interface StagedFile {
  readonly plans: readonly ServedPlan[]
  /** The publisher as written. */
  readonly reportingEntityName: string
  /** `YYYY-MM-DD`; undefined where the file states none that can be read. */
  readonly lastUpdatedOn: string | undefined
  /** SHA-256 of the JSON text in hex. */
  readonly contentHash: string
  /** Whether files that it points to were missing. */
  readonly partial: boolean
  /** The addresses of the files that were read because it points to them. */
  readonly references: readonly string[]
  readonly report: FileReport
}

/**
 * Writes the tables of one file into a source's staging folder.
 *
 * @throws LoadRefused where the file's structure is not that of an in-network file, it names no fee schedule, or too many
 *   of its values are unusable
 */
export async function stageFile(
  path: string,
  sourceId: string,
  staged: StagedPart,
  options: StageOptions,
): Promise<StagedFile> {
  await using published = await openPublishedBytes(path)
  await using database = await StagingDatabase.open(staged.scratch, options.signal)
  const findings = new Findings(options.strict ? path : undefined)
  const filter = createRowFilter(options.filter)
  const providers = await ProviderStage.create(database, findings, filter)
  const prices = await PriceStage.create(database, providers, findings, filter)
  const tell = (isRead: boolean) =>
    options.onProgress?.({
      bytesRead: published.bytesRead(),
      size: published.size,
      prices: prices.published,
      isRead,
    })

  const chunks = watch(published, options.signal, () => tell(false))
  const references = new Set<string>()
  let missingFiles = 0
  const stream = new JsonStream(chunks, path, (value) => findings.count('not-utf8', value))
  const visitor: InNetworkVisitor = {
    isWanted: filter.keepsCode,
    groups: (groups) => providers.addGroups(groups),
    async reference(reference, index) {
      const location = reference?.location
      if (reference !== undefined && location !== undefined) {
        const found = options.finder.find(location, path)
        if (found.outcome === 'ambiguous') {
          throw new LoadRefused(path, `${reference.at.path}.location is ambiguous: ${found.reason}`)
        }
        if (found.outcome === 'found') {
          references.add(location)
          await readReferenceFile(found.path, (groups) => providers.addGroups(groups), findings)
        } else if (options.partial) {
          missingFiles++
          providers.addMissing(reference)
        } else refuseMissing(path, reference.at.path, location)
      }
      providers.addReference(reference, index)
    },
    item: (item, index) => prices.addItem(item, index),
    rate: (rate, item, index) => prices.addRate(rate, item, index),
    passItem: (priceCount) => prices.passItem(priceCount),
  }
  const header = await readInNetwork(stream, path, visitor, findings)

  const lastUpdatedOn = parsePublishedDate(header.lastUpdatedOn)
  if (lastUpdatedOn === undefined) findings.count('unreadable-date', { path: 'last_updated_on' })
  const plans = options.plans ?? [namePlan(header, options.names, path)]
  if (header.reportingEntityName === undefined) findings.count('missing-entity', { path: 'reporting_entity_name' })
  await database.commit()
  tell(true)
  const counts = await joinStaged(database, findings, filter)
  refuseSkipped(path, { published: counts.published, skipped: counts.skipped }, findings, options.maxSkipped)
  const contentHash = published.contentHash()
  await writeTables(database, `${contentHash.slice(0, 16)}-`, (table, part) => staged.fileOf(table, part))
  const report = {
    file: path,
    name: published.name,
    bytes: published.bytesRead(),
    sourceId,
    feeSchedules: [...uniteByFeeSchedule(plans)].map(({ payer, plan }) => ({ payer, plan })),
    prices: counts.prices,
    skipped: counts.skipped,
    rates: counts.rates,
    codes: counts.codes,
    npis: counts.npis,
    findings: findings.list(),
  }
  const reportingEntityName = header.reportingEntityName ?? plans[0]?.payer ?? ''
  return {
    plans,
    reportingEntityName,
    lastUpdatedOn,
    contentHash,
    partial: missingFiles > 0,
    references: [...references],
    report,
  }
}

async function* watch(
  { chunks }: PublishedBytes,
  signal: AbortSignal | undefined,
  tell: () => void,
): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    signal?.throwIfAborted()
    tell()
    yield chunk
  }
}

function refuseMissing(file: string, path: string, location: string): never {
  const fault = `points to another file, which is not there: ${identifyAddress(location)}`
  throw new LoadRefused(
    file,
    `${path}.location ${fault} (put it beside the file, map it with --files, or use --partial)`,
  )
}

/** The names that searches use. Source: CMS schema, `issuer_name`, `reporting_entity_name`, `plan_name`. */
function namePlan(header: FileHeader, given: GivenNames, file: string): ServedPlan {
  const plan = given.plan ?? header.planName
  if (plan === undefined) throw new LoadRefused(file, 'names no plan (no plan_name): say which plan it is for')
  const payer = given.payer ?? header.issuerName ?? header.reportingEntityName
  if (payer === undefined)
    throw new LoadRefused(file, 'names no payer (no issuer_name, no reporting_entity_name): name it with --payer')
  return {
    payer: readName(payer, 'payer', file),
    plan: readName(plan, 'plan', file),
    planId: header.planId,
    planIdType: header.planIdType,
  }
}

/**
 * Brings the name of a payer or plan into the form that searches use.
 *
 * @throws LoadRefused where the API would refuse it
 */
export function readName(text: string, role: keyof FeeSchedule, file: string): string {
  const fault = findNameFault(text)
  if (fault !== undefined) throw new LoadRefused(file, `the name of its ${role} ${fault}`)
  return normaliseName(text)
}

/** One plan a fee schedule, that of its first id: each rate is one rate, under however many ids the plan is sold. */
function uniteByFeeSchedule(plans: readonly ServedPlan[]): Iterable<ServedPlan> {
  const byId = plans.toSorted((a, b) => ((a.planId ?? '') < (b.planId ?? '') ? 1 : -1))
  return new Map(byId.map((plan) => [feeScheduleKey(plan), plan])).values()
}
