import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import * as v from 'valibot'
import { LoadRefused } from './load-refused.ts'
import { lastSegment } from './published-bytes.ts'

/** Says which local file an address in a published file means; undefined where it is not given. */
export type FileFinder = (location: string, from: string) => string | undefined

const mapSchema = v.pipe(
  v.unknown(),
  v.check((map) => !Array.isArray(map)),
  v.record(v.string(), v.string()),
)

/**
 * Finds the files that published files point to: by the map first, then among the files that are named, then beside the
 * file that points. Names are compared by the last segment of the address without its query.
 *
 * @param files local paths
 * @param mapPath a JSON file: whole addresses or last segments, and for each a local path (relative to the map)
 * @throws LoadRefused where the map is not such a file
 */
export async function openFileFinder(files: readonly string[], mapPath: string | undefined): Promise<FileFinder> {
  const mapped = mapPath === undefined ? new Map<string, string>() : await readMap(mapPath)
  const named = new Map(files.map((path) => [lastSegment(path), path]))
  return (location, from) => {
    const name = lastSegment(location)
    const given = mapped.get(location) ?? mapped.get(name) ?? named.get(name)
    if (given !== undefined) return existsSync(given) ? given : undefined
    const beside = join(dirname(from), name)
    return existsSync(beside) ? beside : undefined
  }
}

async function readMap(path: string): Promise<ReadonlyMap<string, string>> {
  try {
    const entries = v.parse(mapSchema, JSON.parse(await readFile(path, 'utf8')))
    return new Map(Object.entries(entries).map(([name, file]) => [name, resolve(dirname(path), file)]))
  } catch (cause) {
    throw new LoadRefused(path, 'is no map of files: a JSON object of addresses and local paths', { cause })
  }
}
