import { isOutdated } from '../../core/catalogue/content.ts'
import { type FileFinding, type FileOutcome, fileKey } from '../../core/loads/load-work.ts'
import type { LoadWork } from '../../core/loads/ports.ts'
import type { FileToRead } from '../../fetch/file-finder.ts'
import { LoadRefused } from '../../fetch/load-refused.ts'
import { type Finding, isFindingRule } from '../decode/findings.ts'
import type { LoadDeps } from '../publish/load-request.ts'
import { EqualFiles, NotRead, type ReadFile, type ReadRun, readyFile } from '../publish/sources/read-file.ts'

/**
 * Finds what the workers of a load made of its files, as `readSources` would have read them. Equal files were read by
 * different workers: all are the source of the first.
 *
 * @returns the outcome of each file, by its path
 */
export async function lookUpSources(
  files: readonly FileToRead[],
  { loadId, deps }: Pick<ReadRun, 'loadId' | 'deps'>,
  work: LoadWork,
): Promise<ReadonlyMap<string, ReadFile>> {
  const { outcomes, sources } = await readReady(loadId, work, deps)
  const equal = new EqualFiles()
  const lookUp = ({ identity, path }: FileToRead): ReadFile => {
    const outcome = outcomes.get(fileKey(identity))
    if (outcome === undefined) return unread(path, 'was not read before its load ended')
    if (outcome.outcome === 'refused')
      return { outcome: 'refused', error: new LoadRefused(outcome.file, outcome.fault) }
    const source = sources.get(outcome.sourceId)
    if (source === undefined) return unread(path, 'its rows have been removed since it was read')
    if (isOutdated(source)) return unread(path, 'an earlier version read it: load it again')
    const findings = outcome.findings?.flatMap(readFinding)
    return equal.unite({ ...readyFile(source, source.references, findings), referencesKey: outcome.referencesKey })
  }
  return new Map(files.map((file) => [file.path, lookUp(file)]))
}

/** What a load's workers share of what became of a file. */
export function describeOutcome(read: ReadFile): FileOutcome {
  if (read.outcome === 'refused') return { outcome: 'refused', file: read.error.file, fault: read.error.fault }
  const { source, referencesKey, findings } = read
  const { sourceId, bytes, prices } = source
  return { outcome: 'ready', sourceId, referencesKey, ...(findings && { findings }), bytes, prices }
}

/** The outcomes of a load's files, and the sources of those that are ready, by id. */
export async function readReady(loadId: string, work: LoadWork, { contents }: Pick<LoadDeps, 'contents'>) {
  const outcomes = await work.readOutcomes(loadId)
  const ready = [...outcomes.values()].flatMap((outcome) => (outcome.outcome === 'ready' ? outcome.sourceId : []))
  const stored = await contents.readSources([...new Set(ready)])
  return { outcomes, sources: new Map(stored.map((source) => [source.sourceId, source])) }
}

const unread = (file: string, fault: string): ReadFile => ({ outcome: 'refused', error: new NotRead(file, fault) })

const readFinding = ({ rule, ...finding }: FileFinding): readonly Finding[] =>
  isFindingRule(rule) ? [{ rule, ...finding }] : []
