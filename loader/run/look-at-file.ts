import { isRemote } from '../../fetch/file-address.ts'
import type { FileToRead } from '../../fetch/file-finder.ts'
import { FileFault, LoadRefused, nameFile, toOneLine } from '../../fetch/load-refused.ts'
import { type FileHead, readHead } from '../collect/read-head.ts'
import { parsePublishedDate } from '../decode/values/published-date.ts'
import type { OpenedPlans } from '../plans/open-plans.ts'
import type { NamingSource } from '../plans/read-plans.ts'
import type { LoadDeps, LoadRequest } from '../publish/load-request.ts'
import { describeDay, describeHeader } from '../publish/sources/describe-source.ts'
import { type FormerSources, lookAt } from '../publish/sources/former-sources.ts'
import { findLinkedFile } from '../write/encode-file.ts'

/** A file as a dry run sees it. */
export interface PlannedFile {
  /** Path, or address without its query string. */
  readonly file: string
  /** Undefined if the server does not say, and for a pipe. */
  readonly bytes: number | undefined
  /** `unchanged`: an earlier load's rows are used; `refused`: its head shows that the load would refuse it. */
  readonly outcome: 'new' | 'unchanged' | 'refused' | 'unreachable'
  /** The fault of a file that is refused or cannot be reached. */
  readonly reason?: string
  /** Number of provider references in its head whose groups are in other files, and how many of these are missing. */
  readonly linked?: number
  readonly missing?: number
}

/** The part of a source that the head of its file tells. */
export interface HeadSource extends NamingSource {
  /** `YYYY-MM-DD`; undefined if the file states none that can be read, or none in its head. */
  readonly lastUpdatedOn?: string | undefined
  /** As `Source.unreadableDay`. */
  readonly unreadableDay?: string | undefined
  /** True if its day is known, or is known to be missing. */
  readonly isDated: boolean
}

export type LookedAtFile = { readonly planned: PlannedFile } & (
  | { readonly outcome: 'ready'; readonly source: HeadSource }
  | { readonly outcome: 'refused'; readonly error: LoadRefused }
)

interface Looking {
  readonly opened: OpenedPlans
  readonly former: FormerSources
  readonly deps: Pick<LoadDeps, 'remote' | 'signal'>
}

/**
 * Looks at a file: asks for its size, and reads its head if it has changed since an earlier load.
 *
 * @param isOpened false to ask for its size only
 */
export async function lookAtFile(file: FileToRead, isOpened: boolean, looking: Looking): Promise<LookedAtFile> {
  const { former, deps } = looking
  const shown = toOneLine(file.path)
  let bytes: number | undefined
  let isReached = false
  try {
    using _slot = isRemote(file.path) ? await deps.remote?.hosts.take(file.path) : undefined
    const facts = await lookAt(file.path, deps)
    isReached = true
    bytes = facts.size
    const unchanged = await former.findUnchanged(file, facts)
    if (unchanged !== undefined)
      return {
        planned: { file: shown, bytes, outcome: 'unchanged' },
        outcome: 'ready',
        source: { ...unchanged, isDated: true },
      }
    const { source, ...counts } = isOpened
      ? await nameFile(file.path, () => readSource(file, looking))
      : { source: unopened(file) }
    return { planned: { file: shown, bytes, outcome: 'new', ...counts }, outcome: 'ready', source }
  } catch (error) {
    if (!(error instanceof LoadRefused)) throw error
    const outcome = isReached ? 'refused' : 'unreachable'
    return { planned: { file: shown, bytes, outcome, reason: error.message }, outcome: 'refused', error }
  }
}

const unopened = ({ path }: FileToRead): HeadSource => ({
  sourceId: path,
  names: {},
  reportingEntityName: '',
  facts: {},
  partial: false,
  isDated: false,
})

/** @throws FileFault, LoadRefused as the load would, as far as the head shows it */
async function readSource({ path }: FileToRead, { opened, deps }: Looking) {
  const { request, finder, entity } = opened
  const { repair, assumeVersion, partial = false } = request
  const head = await readHead(path, { ...deps, repair, assumesVersion: assumeVersion !== undefined })
  const described = describeHeader(head.header, entity)
  refuseNameless(described, head, request)
  const missing = head.linked.filter(
    (each) => findLinkedFile(each.location, path, each.path, { finder, partial }) === undefined,
  ).length
  const source: HeadSource = {
    ...described,
    sourceId: path,
    partial: missing > 0,
    ...describeDay(head.header.lastUpdatedOn, parsePublishedDate(head.header.lastUpdatedOn)),
    isDated: head.fields.has('last_updated_on'),
  }
  return { source, ...(head.linked.length > 0 && { linked: head.linked.length, missing }) }
}

/** Refuses a file whose plan nobody has named so far: it may name it further on, but that is not to be relied on. */
function refuseNameless(
  { names, reportingEntityName }: Pick<NamingSource, 'names' | 'reportingEntityName'>,
  { reachesRates }: FileHead,
  { toc, payer, plan }: LoadRequest,
): void {
  if (toc !== undefined) return
  const lacks = [
    ...(plan === undefined && names.plan === undefined ? ['plan'] : []),
    ...(payer === undefined && names.issuer === undefined && reportingEntityName === '' ? ['payer'] : []),
  ]
  const [first] = lacks
  if (first === undefined) return
  const where = reachesRates ? 'before its rates' : 'in its first 4 MB'
  const options = lacks.map((name) => `--${name}`).join(' and ')
  throw new FileFault(
    `names no ${lacks.join(' and no ')} ${where}, and a dry run reads no further: use ${options} unless it does so later`,
  )
}
