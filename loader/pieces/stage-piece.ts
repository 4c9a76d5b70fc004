import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { writeUsed } from '../assembly/count-prices.ts'
import type { JoinedParts, PieceContext } from '../assembly/file-parts.ts'
import { readLeftOut } from '../assembly/share-references.ts'
import type { KeptRuns } from '../inline-groups/npi-runs.ts'
import { LoadRefused } from '../load-refused.ts'
import type { Finding, Findings } from '../published/findings.ts'
import { FileStage } from '../staging/file-stage.ts'
import { partFileName } from '../staging/part-staging.ts'
import type { StageOptions, StagingFiles } from '../staging/stage-file.ts'
import { watchChunks } from '../staging/stage-file.ts'
import type { Piece } from './piece-queue.ts'
import { readPieceText } from './piece-text.ts'

/** A piece whose tables are written. */
export interface StagedPiece {
  /** Of reading it, in its order. */
  readonly findings: readonly Finding[]
  readonly units: Findings['units']
  readonly joined: JoinedParts
  /** The folder with what `writeUsed` noted. */
  readonly used: string
  /** The NPIs of its inline groups. */
  readonly npis: KeptRuns | undefined
}

/** What a piece is told, and tells, while it is staged. */
export interface PieceExchange extends PieceContext {
  /** Whether the groups that a filter leaves out are known before the items. */
  readonly knowsLeftOut: boolean
  /** Called when the piece is read, with how many prices it has. */
  onRead(prices: number): void
}

/**
 * Stages a piece of a file, and writes its tables beside those of the other pieces.
 *
 * @throws LoadRefused if it cannot be read; the message is not that of the whole file
 */
export async function stagePiece(
  piece: Piece,
  staged: StagingFiles,
  options: StageOptions,
  exchange: PieceExchange,
): Promise<StagedPiece> {
  const { path, number, from, to } = piece
  const scratch = join(staged.scratch, `piece-${number}`)
  const used = join(staged.scratch, `used-${number}`)
  for (const folder of [scratch, used]) await mkdir(folder)
  const fileOf: StagingFiles['fileOf'] = (table, part = 0) =>
    join(dirname(staged.fileOf(table)), partFileName(part, number))
  await using cleanup = new AsyncDisposableStack()
  cleanup.defer(() => rm(scratch, { recursive: true }))
  const stage = cleanup.use(
    await FileStage.open(path, { scratch, fileOf }, options, {
      ...piece,
      firstGroup: firstGroupOf(piece),
      ...exchange,
    }),
  )
  const { findings, providers, prices, parts } = stage
  if (exchange.knowsLeftOut && providers.isFiltered)
    for (const group of await readLeftOut(stage.database, await exchange.references)) providers.leaveOut(group)
  const tell = (bytesRead: number, isRead: boolean) =>
    options.onProgress?.({ bytesRead, size: to - from, prices: prices.published, isRead })
  await stage.read(watchChunks(readPieceText(piece), options.signal, (bytesRead) => tell(bytesRead, false)))
  // A comma before it or after it has nothing beside it.
  if (findings.units.items.published === 0) throw new LoadRefused(path, 'has an element that is empty')
  tell(to - from, true)
  exchange.onRead(prices.published)
  const joined = await parts.join()
  await parts.write()
  await writeUsed(stage.database, used)
  const npis = providers.inline.npis.keep(join(used, 'npis'))
  return { findings: findings.list(), units: findings.units, joined, used, npis }
}

/** No inline group has fewer bytes, so that those of different pieces have different numbers. */
const leastGroupBytes = 32

/** The size of a file up to which these numbers have 32 bits. */
export const maxCutBytes = leastGroupBytes * 2 ** 32

const firstGroupOf = ({ from }: Piece) => Math.floor(from / leastGroupBytes)
