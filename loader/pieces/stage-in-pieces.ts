import { mkdir, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { sourceTables } from '../../schema/columns/warehouse-tables.ts'
import { mergeParts } from '../assembly/file-parts.ts'
import { lastSegment } from '../files/published-bytes.ts'
import { LoadRefused } from '../load-refused.ts'
import { Findings } from '../published/findings.ts'
import { refuseSkipped } from '../sources/refuse-skipped.ts'
import { FileStage } from '../staging/file-stage.ts'
import type { StagedFile, StageOptions, StagingFiles } from '../staging/stage-file.ts'
import { WorkerEnded } from '../workers/worker-ended.ts'
import { PieceExchanges } from './piece-exchanges.ts'
import { PieceProgress } from './piece-progress.ts'
import type { PieceSizes } from './piece-queue.ts'
import { PieceQueue } from './piece-queue.ts'
import type { StagedFrame } from './stage-frame.ts'
import { stageFrame } from './stage-frame.ts'
import type { StagedPiece, stagePiece } from './stage-piece.ts'

/** How a file is cut. */
export interface Cutting {
  /** How many pieces are staged at a time. */
  readonly width: number
  readonly sizes: PieceSizes
  readonly stagePiece: typeof stagePiece
}

/**
 * Stages a plain file in pieces, several at a time, with the outcome of `stageFile`.
 *
 * @returns undefined if the file is not whole, is not an in-network file, or cannot be cut: `stageFile` says why
 * @throws LoadRefused if too many of its values are unusable, or a worker ended
 */
export async function stageInPieces(
  path: string,
  staged: StagingFiles,
  options: StageOptions,
  cutting: Cutting,
): Promise<StagedFile | undefined> {
  const before = await stat(path)
  const cut = await stageParts(path, before.size, staged, options, cutting)
  const after = cut && (await stat(path))
  if (cut === undefined || after?.size !== before.size || after.mtimeMs !== before.mtimeMs) {
    await cut?.stage[Symbol.asyncDispose]()
    await clear(staged)
    return undefined
  }
  await using _stage = cut.stage
  return await describe(path, cut, options)
}

/** A file that was staged in pieces. */
interface CutFile {
  readonly stage: FileStage
  readonly frame: StagedFrame
  readonly pieces: readonly StagedPiece[]
  readonly bytes: number
  readonly hash: string
}

/** @returns undefined if the file cannot be staged in this way; the caller removes what was written */
async function stageParts(
  path: string,
  size: number,
  staged: StagingFiles,
  options: StageOptions,
  cutting: Cutting,
): Promise<CutFile | undefined> {
  const failing = new AbortController()
  const signal = AbortSignal.any([failing.signal, ...(options.signal ? [options.signal] : [])])
  await using cleanup = new AsyncDisposableStack()
  const stage = cleanup.use(await FileStage.open(path, staged, { ...options, signal }))
  const queue = new PieceQueue(path, size, cutting.width, cutting.sizes, signal)
  const progress = new PieceProgress(size, options.onProgress)
  const exchanges = new PieceExchanges(queue.scan, signal)
  const pieces: StagedPiece[] = []
  const stageNext = async () => {
    for (let piece = await queue.next(); piece !== undefined; piece = await queue.next()) {
      const ofPiece = { ...options, signal, onProgress: progress.of(piece.number) }
      pieces[piece.number] = await cutting.stagePiece(piece, staged, ofPiece, exchanges.add())
    }
  }
  const frame = stageFrame(queue, stage, staged, { signal, onProgress: progress.of('frame') }, (references) =>
    exchanges.share(references),
  )
  const work: readonly Promise<unknown>[] = [frame, queue.end(), ...Array.from({ length: cutting.width }, stageNext)]
  await Promise.allSettled(work.map((each) => each.catch((error: unknown) => failing.abort(error))))
  options.signal?.throwIfAborted()
  if (failing.signal.aborted) {
    const error: unknown = failing.signal.reason
    if (error instanceof LoadRefused && !(error instanceof WorkerEnded)) return undefined
    throw error
  }
  progress.end()
  cleanup.move()
  return { stage, frame: await frame, pieces, bytes: size, hash: await queue.end() }
}

/** What is known of the whole file, as if its bytes had been read in their order. */
async function describe(
  path: string,
  { stage, frame, pieces, bytes, hash }: CutFile,
  options: StageOptions,
): Promise<StagedFile> {
  const findings = new Findings(options.strict ? path : undefined)
  const joined = mergeParts([frame.joined, ...pieces.map((piece) => piece.joined)])
  const read = [...frame.findingsBefore, ...pieces.flatMap((piece) => piece.findings), ...frame.findingsAfter]
  for (const finding of [...read, ...joined.findings]) findings.add(finding)
  for (const { units } of [stage.findings, ...pieces]) findings.addUnits(units)
  for (const { npis } of pieces) if (npis !== undefined) stage.providers.inline.npis.include(npis)
  const counts = { ...joined.counts, ...(await stage.parts.countDistinct(pieces.map(({ used }) => used))) }
  refuseSkipped(path, counts, findings, options.maxSkipped)
  const { header, lastUpdatedOn } = frame
  return {
    ...{ name: lastSegment(path), bytes, etag: undefined, packedHash: hash, contentHash: hash },
    ...{ header, lastUpdatedOn, partial: stage.missingFiles > 0, references: stage.references() },
    ...counts,
    findings: findings.list(),
  }
}

/** Removes what was written, so that the file can be staged again. */
async function clear({ scratch, fileOf }: StagingFiles): Promise<void> {
  for (const folder of [scratch, ...sourceTables.map((table) => dirname(fileOf(table)))]) {
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder, { recursive: true })
  }
}
