import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ObjectStore, openObjectStore } from '../../../local/s3/object-store.ts'
import { canMount, mountSmallDisk, type SmallDisk } from '../../kills/disks/small-disk.ts'

describe.skipIf(!canMount)('objects on a separate disk (needs root on Linux)', () => {
  let disk: SmallDisk
  let folder: string
  let store: ObjectStore
  beforeEach(() => {
    disk = mountSmallDisk(8)
    folder = join(disk.folder, 's3')
    store = openObjectStore(folder)
    store.createBucket('bucket')
  })
  afterEach(() => disk.remove())

  const put = (key: string, text: string) =>
    store.put({
      bucket: 'bucket',
      key,
      body: (async function* () {
        yield Buffer.from(text)
      })(),
      checksum: () => ({ algorithm: 'crc32', value: '' }),
      lastModified: new Date(0),
    })
  const readText = async (key: string) => {
    const object = store.find('bucket', key)
    return object === undefined ? undefined : String(await buffer(store.read('bucket', object)))
  }
  const listFiles = () => readdirSync(join(folder, 'bucket')).toSorted()

  it.each([
    ['bytes', 'x'.repeat(10_000)],
    // An empty object needs no room for its bytes, but its description does.
    ['description', ''],
  ])('stay unchanged if there is no room for the %s of a new one, which leaves no file', async (_, text) => {
    await put('key', 'first')
    const files = listFiles()
    disk.fill()
    await expect(put('key', text)).rejects.toThrow('ENOSPC')
    expect(await readText('key')).toBe('first')
    expect(listFiles()).toEqual(files)
    disk.free()
    await put('key', text)
    expect(await readText('key')).toBe(text)
  })

  it('stay unchanged while the disk is read-only, and can be stored and removed afterwards', async () => {
    await put('key', 'first')
    disk.forbidWrites(folder)
    await expect(put('key', 'second')).rejects.toThrow()
    expect(() => store.remove('bucket', 'key')).toThrow()
    expect(await readText('key')).toBe('first')
    disk.allowWrites(folder)
    await put('key', 'second')
    expect(await readText('key')).toBe('second')
    store.remove('bucket', 'key')
    expect(listFiles()).toEqual([])
  })
})
