import type { FeeSchedule } from '../core/fee-schedule.ts'
import { feeScheduleKey, findNameFault, normaliseName } from '../core/fee-schedule.ts'
import { joinStaged, writeTables } from './assemble-tables.ts'
import { identifyAddress } from './file-address.ts'
import type { FileFinder } from './file-finder.ts'
import { Findings } from './findings.ts'
import type { FileHeader } from './in-network-file.ts'
import { JsonStream } from './json-stream.ts'
import { LoadRefused } from './load-refused.ts'
import type { FileReport } from './load-report.ts'
import { describeSkipped } from './load-report.ts'
import type { PublishedBytes } from './published-bytes.ts'
import { openPublishedBytes } from './published-bytes.ts'
import { parsePublishedDate } from './published-date.ts'
import { readInNetwork } from './read-in-network.ts'
import { readReferenceFile } from './reference-file.ts'
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
  /** The largest share of prices that may be skipped. */
  readonly maxSkipped: number
  /** Whether the first value that would be skipped refuses the file. */
  readonly strict: boolean
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
  const providers = await ProviderStage.create(database, findings)
  const prices = await PriceStage.create(database, providers, findings)
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
  const header = await readInNetwork(new JsonStream(chunks, path), path, {
    groups: (groups) => providers.addGroups(groups),
    async reference(reference, index) {
      const { location } = reference
      if (location !== undefined) {
        const found = options.finder.find(location, path)
        if (found.outcome === 'ambiguous') {
          throw new LoadRefused(path, `${reference.at.path}.location is ambiguous: ${found.reason}`)
        }
        if (found.outcome === 'found') {
          references.add(location)
          await readReferenceFile(found.path, (groups) => providers.addGroups(groups))
        } else if (options.partial) {
          missingFiles++
          providers.addMissing(reference)
        } else refuseMissing(path, reference.at.path, location)
      }
      providers.addReference(reference, index)
    },
    item: (item, index) => prices.addItem(item, index),
    rate: (rate, item, index) => prices.addRate(rate, item, index),
  })

  const lastUpdatedOn = parsePublishedDate(header.lastUpdatedOn)
  if (lastUpdatedOn === undefined) findings.count('unreadable-date', { path: 'last_updated_on' })
  const plans = options.plans ?? [namePlan(header, options.names, path)]
  await database.commit()
  tell(true)
  const counts = await joinStaged(database, findings)
  if (counts.skipped > options.maxSkipped * prices.published) {
    throw new LoadRefused(path, describeSkipped(counts.skipped, prices.published, findings.list()))
  }
  const contentHash = published.contentHash()
  await writeTables(database, `${contentHash.slice(0, 16)}-`, (table, part) => staged.fileOf(table, part))
  const report = {
    file: path,
    name: published.name,
    bytes: published.bytesRead(),
    sourceId,
    feeSchedules: [...uniteByFeeSchedule(plans)].map(({ payer, plan }) => ({ payer, plan })),
    ...counts,
    findings: findings.list(),
  }
  const { reportingEntityName } = header
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
  return {
    payer: readName(given.payer ?? header.issuerName ?? header.reportingEntityName, 'payer', file),
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
