import { isOutdated } from '../../core/catalogue/content.ts'
import { type FileFinding, type FileOutcome, fileKey } from '../../core/loads/load-work.ts'
import type { LoadWork } from '../../core/loads/ports.ts'
import type { FileToRead } from '../../fetch/file-finder.ts'
import { LoadRefused } from '../../fetch/load-refused.ts'
import { type Finding, isFindingRule } from '../decode/findings.ts'
import type { LoadDeps } from '../publish/load-request.ts'
import { EqualFiles, NotRead, type ReadFile, type ReadRun, readyFile } from '../publish/sources/read-file.ts'

/**
 * Looks up the outcomes of the files that the workers of a load have read, in the form in which `readSources` returns
 * them. Files of equal content may have been read by different workers: they share the source of the first.
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

/** Returns the outcome of a file in the form that the workers of a load share. */
export function describeOutcome(file: ReadFile): FileOutcome {
  if (file.outcome === 'refused') return { outcome: 'refused', file: file.error.file, fault: file.error.fault }
  const { source, referencesKey, findings } = file
  const { sourceId, bytes, prices } = source
  return { outcome: 'ready', sourceId, referencesKey, ...(findings && { findings }), bytes, prices }
}

/** Reads the outcomes of a load's files by their keys, and the sources of the ready ones by their ids. */
export async function readReady(loadId: string, work: LoadWork, { contents }: Pick<LoadDeps, 'contents'>) {
  const outcomes = await work.readOutcomes(loadId)
  const sourceIds = [...outcomes.values()].flatMap((outcome) => (outcome.outcome === 'ready' ? outcome.sourceId : []))
  const sources = await contents.readSources([...new Set(sourceIds)])
  return { outcomes, sources: new Map(sources.map((source) => [source.sourceId, source])) }
}

const unread = (file: string, fault: string): ReadFile => ({ outcome: 'refused', error: new NotRead(file, fault) })

const readFinding = ({ rule, ...finding }: FileFinding): readonly Finding[] =>
  isFindingRule(rule) ? [{ rule, ...finding }] : []
