import { join } from 'node:path'
import type { JoinedParts } from '../assembly/file-parts.ts'
import { shareReferences } from '../assembly/share-references.ts'
import { LoadRefused } from '../load-refused.ts'
import type { Finding } from '../published/findings.ts'
import type { FileHeader } from '../published/in-network-file.ts'
import type { FileStage } from '../staging/file-stage.ts'
import type { StageOptions, StagingFiles } from '../staging/stage-file.ts'
import { readLastUpdatedOn, watchChunks } from '../staging/stage-file.ts'
import type { PieceQueue } from './piece-queue.ts'
import { readFrameText } from './piece-text.ts'

/** A file without its items, of which the references are written. */
export interface StagedFrame {
  readonly header: FileHeader
  readonly lastUpdatedOn: string | undefined
  /** Of what comes before the items. */
  readonly findingsBefore: readonly Finding[]
  readonly findingsAfter: readonly Finding[]
  readonly joined: JoinedParts
}

/**
 * Stages what a file has beside its items.
 *
 * @param tell receives the path of a database with the references, for the pieces
 * @throws LoadRefused if it cannot be read, or cannot be read in another order than that of the file
 */
export async function stageFrame(
  queue: PieceQueue,
  stage: FileStage,
  { scratch }: Pick<StagingFiles, 'scratch'>,
  { signal, onProgress }: Pick<StageOptions, 'signal' | 'onProgress'>,
  tell: (references: string) => void,
): Promise<StagedFrame> {
  const { findings, parts, providers } = stage
  let joined: JoinedParts | undefined
  let writing: Promise<void> | undefined
  const share = async () => {
    joined = await parts.join()
    const shared = join(scratch, 'references.duckdb')
    await shareReferences(stage.database, shared, providers.leftOut)
    tell(shared)
    writing = parts.write()
    writing.catch(() => undefined)
  }
  let findingsBefore: readonly Finding[] = []
  let hadReferences = false
  const header = await stage.read(
    watchChunks(readFrameText(queue), signal, (bytesRead) =>
      onProgress?.({ bytesRead, size: undefined, prices: 0, isRead: false }),
    ),
    async () => {
      findingsBefore = findings.take()
      hadReferences = providers.hasReferences
      if (queue.scan.hasReferencesBefore) await share()
      else if (hadReferences) throw new LoadRefused(queue.path, 'names its references in an unusual way')
    },
  )
  const lastUpdatedOn = readLastUpdatedOn(header, findings)
  if (joined === undefined) await share()
  else if (providers.hasReferences !== hadReferences)
    throw new LoadRefused(queue.path, 'names its references in an unusual way')
  await writing
  if (joined === undefined) throw new TypeError('the references were not joined')
  return { header, lastUpdatedOn, findingsBefore, findingsAfter: findings.list(), joined }
}
