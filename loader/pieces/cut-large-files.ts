import { open } from 'node:fs/promises'
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

export const cuttingSizes: CuttingSizes = { least: 1 << 28, ...pieceSizes }

/** Whether a path is that of a plain file of this machine that is large enough to be cut. */
export async function isWorthCutting(path: string, { least }: CuttingSizes): Promise<boolean> {
  if (path === '-' || isRemote(path)) return false
  const file = await open(path).catch(() => undefined)
  if (file === undefined) return false
  try {
    const info = await file.stat()
    if (!info.isFile() || info.size < least || info.size > maxCutBytes) return false
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(headSize), position: 0 })
    return !isPacked(buffer.subarray(0, bytesRead))
  } finally {
    await file.close()
  }
}

/** As many bytes as tell a format. */
const headSize = 4

/**
 * Stages large plain files in pieces.
 *
 * @param stageWhole stages all other files, and those that turn out not to be fit for it
 */
export function cutLargeFiles(
  stageWhole: typeof stageFile,
  sizes: CuttingSizes,
  cutting: Omit<Cutting, 'sizes'>,
): typeof stageFile {
  return async (path, staged, options) => {
    const isCut = await isWorthCutting(path, sizes)
    const cut = isCut ? await stageInPieces(path, staged, options, { ...cutting, sizes }) : undefined
    return cut ?? stageWhole(path, staged, options)
  }
}
