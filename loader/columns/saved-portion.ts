import { type FileHandle, open } from 'node:fs/promises'
import { deserialize, serialize } from 'node:v8'
import { type Portion, PortionRows } from './portion.ts'

/** Writes a portion to a new file, one field after the other: a copy of all would take twice the memory. */
export async function savePortion(path: string, portion: Portion): Promise<void> {
  await using file = await open(path, 'wx')
  for (const field of Object.entries(portion)) {
    const bytes = serialize(field)
    const length = Buffer.alloc(lengthBytes)
    length.writeUInt32LE(bytes.length)
    await file.appendFile(length)
    await file.appendFile(bytes)
  }
}

export async function readPortion(path: string): Promise<Portion> {
  await using file = await open(path)
  const fields: [string, unknown][] = []
  for (;;) {
    const length = await read(file, lengthBytes)
    if (length === undefined) return Object.assign(new PortionRows().view(noGroups), Object.fromEntries(fields))
    const bytes = await read(file, length.readUInt32LE())
    if (bytes !== undefined) fields.push(deserialize(bytes))
  }
}

const noGroups = { first: 0, count: 0 }

const lengthBytes = 4

/** Reads the next bytes of a file; undefined at its end. */
async function read(file: FileHandle, length: number): Promise<Buffer | undefined> {
  const { bytesRead, buffer } = await file.read({ buffer: Buffer.alloc(length) })
  return bytesRead < length ? undefined : buffer
}
