import { type FileHandle, open } from 'node:fs/promises'
import { deserialize, serialize } from 'node:v8'
import { Uint32List } from '../decode/number-list.ts'
import { Portion } from './portion.ts'

/** Writes a portion to a new file, list by list, because a copy of all lists would take twice the memory. */
export async function savePortion(
  path: string,
  { items, terms, inline, ordinalsFrom, numbers }: Portion,
): Promise<void> {
  await using file = await open(path, 'wx')
  for (const value of [{ items, terms, inline, ordinalsFrom }, ...Object.values(numbers)]) {
    const bytes = serialize(value instanceof Uint32List ? value.view() : value)
    const length = Buffer.alloc(lengthBytes)
    length.writeUInt32LE(bytes.length)
    await file.appendFile(length)
    await file.appendFile(bytes)
  }
}

export async function readPortion(path: string): Promise<Portion> {
  await using file = await open(path)
  const portion: Portion = Object.assign(new Portion(), deserialize(await readNext(file)))
  for (const list of Object.values(portion.numbers)) list.restore(deserialize(await readNext(file)))
  return portion
}

const lengthBytes = 4

async function readNext(file: FileHandle): Promise<Buffer> {
  const length = await file.read({ buffer: Buffer.alloc(lengthBytes) })
  const { buffer } = await file.read({ buffer: Buffer.alloc(length.buffer.readUInt32LE()) })
  return buffer
}
