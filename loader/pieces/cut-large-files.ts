import { open, stat } from 'node:fs/promises'
import { mapAtOnce } from '../../core/work-at-once.ts'
import { isRemote } from '../files/file-address.ts'
import { isPacked } from '../files/published-bytes.ts'
import type { stageFile } from '../staging/stage-file.ts'
import type { PieceSizes } from './piece-queue.ts'
import { pieceSizes } from './piece-queue.ts'
import type { Cutting } from './stage-in-pieces.ts'
import { stageInPieces } from './stage-in-pieces.ts'
import { maxCutBytes } from './stage-piece.ts'

export interface CuttingSizes extends PieceSizes {
  /** The smallest file that is cut, in bytes. */
  readonly least: number
}

export const cuttingSizes: CuttingSizes = { least: 1 << 30, ...pieceSizes }

/** Files that are looked at concurrently. */
const looksAtOnce = 32

/** Finds the plain files of this machine that are large enough to be cut. */
export async function findLargeFiles(paths: readonly string[], sizes: CuttingSizes): Promise<ReadonlySet<string>> {
  const areLarge = await mapAtOnce(paths, looksAtOnce, (path) => isWorthCutting(path, sizes))
  return new Set(paths.filter((_, index) => areLarge[index]))
}

async function isWorthCutting(path: string, { least }: CuttingSizes): Promise<boolean> {
  if (path === '-' || isRemote(path)) return false
  // Only a plain file is opened: what a pipe has written would be lost.
  const info = await stat(path).catch(() => undefined)
  if (info === undefined || !info.isFile() || info.size < least || info.size > maxCutBytes) return false
  const file = await open(path).catch(() => undefined)
  if (file === undefined) return false
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(headSize), position: 0 })
    return !isPacked(buffer.subarray(0, bytesRead))
  } finally {
    await file.close()
  }
}

/** As many bytes as tell a format. */
const headSize = 4

/**
 * Stages large files in pieces.
 *
 * @param large their paths: see `findLargeFiles`
 * @param stageWhole stages all other files, and those that turn out not to be fit for it
 */
export function cutLargeFiles(
  large: ReadonlySet<string>,
  stageWhole: typeof stageFile,
  cutting: Cutting,
): typeof stageFile {
  return async (path, staged, options) => {
    const cut = large.has(path) ? await stageInPieces(path, staged, options, cutting) : undefined
    return cut ?? stageWhole(path, staged, options)
  }
}
