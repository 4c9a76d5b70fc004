import { createReadStream } from 'node:fs'
import type { Piece, PieceQueue } from './piece-queue.ts'

const readSize = 1 << 20

const opening = Buffer.from('{"in_network":[')
const closing = Buffer.from(']}')

/** A piece as an in-network file of its own, which has nothing but these items. */
export async function* readPieceText({ path, from, to }: Piece): AsyncGenerator<Buffer> {
  yield opening
  yield* readBytes(path, from, to)
  yield closing
}

/** A file without its items: the text of everything else. */
export async function* readFrameText(queue: PieceQueue): AsyncGenerator<Buffer> {
  const { path, scan } = queue
  await queue.begun
  yield* readBytes(path, 0, scan.itemsFrom ?? 0)
  await queue.end()
  yield* readBytes(path, scan.itemsTo ?? 0, Number.POSITIVE_INFINITY)
}

async function* readBytes(path: string, from: number, to: number): AsyncGenerator<Buffer> {
  if (from < to) yield* createReadStream(path, { start: from, end: to - 1, highWaterMark: readSize })
}
