import { statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import * as v from 'valibot'
import { nameSome } from '../core/name-some.ts'
import { oncePer } from '../core/once-per.ts'
import { identifyAddress, identifyPath, isRemote, lastSegment } from './file-address.ts'
import { LoadRefused, toOneLine } from './load-refused.ts'
import type { SignedLocations } from './remote/signed-locations.ts'

/** A local file and its published identity. */
export interface FileToRead {
  readonly identity: string
  /** As given by the operator, or as found. */
  readonly path: string
}

/** The file of an address in a published file: a local one, or the address if it is fetched. */
export type FoundFile =
  | { readonly outcome: 'found'; readonly path: string }
  | { readonly outcome: 'missing' }
  /** Several files match; the reason says what to do. */
  | { readonly outcome: 'ambiguous'; readonly paths: readonly string[]; readonly reason: string }

/** What the operator's map gives: the files of whole addresses, and of last segments. */
interface FileMap {
  readonly byAddress: ReadonlyMap<string, string>
  readonly byName: ReadonlyMap<string, string>
}

/** Which files are fetched. */
interface Fetching {
  /** Remembers the URLs of files that are fetched. */
  readonly locations: SignedLocations
  /** Whether files are fetched that local files list or refer to. */
  readonly fetchesAll: boolean
}

const mapSchema = v.pipe(
  v.unknown(),
  v.check((map) => !Array.isArray(map)),
  v.record(v.string(), v.string()),
)

/**
 * Finds the local files of addresses in published files: by the operator's map, then by last segment among the named
 * files, then by last segment next to the file that contains the address. Files that are listed or referred to by a
 * remote file are fetched if there is no local one.
 *
 * A local file that matches two addresses belongs to neither, unless the map gives it for each whole address. So look
 * up all addresses before using any result, or look them up again.
 */
export class FileFinder {
  readonly #map: FileMap
  /** The whole addresses that the map gives a file for. */
  readonly #mapped: ReadonlyMap<string, readonly string[]>
  readonly #named: ReadonlyMap<string, readonly string[]>
  readonly #namedAddresses: ReadonlySet<string>
  readonly #fetching: Fetching | undefined
  readonly #chosen = new Map<string, FoundFile>()
  /** The addresses that a local file was found for, and whether the map lacks any of them. */
  readonly #claimsOf = oncePer((_file: string) => ({ rivals: new Set<string>(), lacksMapping: false }))

  private constructor(files: readonly string[], map: FileMap, fetching: Fetching | undefined) {
    this.#map = map
    this.#mapped = Map.groupBy(map.byAddress.keys(), (address) => map.byAddress.get(address) ?? '')
    this.#fetching = fetching
    this.#namedAddresses = new Set(files.filter(isRemote))
    this.#named = Map.groupBy(
      files.filter((file) => !isRemote(file)),
      lastSegment,
    )
  }

  /**
   * @param files the local paths and the addresses that the operator named
   * @param mapPath a JSON file: whole addresses or last segments, and for each a local path, relative to the map
   * @param fetching absent if no file is fetched
   * @throws LoadRefused if the map is not such a file
   */
  static async open(files: readonly string[], mapPath: string | undefined, fetching?: Fetching): Promise<FileFinder> {
    return new FileFinder(files, await readMap(mapPath), fetching)
  }

  /** @param from the path or address of the file that contains the location */
  find(location: string, from: string): FoundFile {
    const address = identifyAddress(location)
    const key = JSON.stringify([address, dirname(from)])
    const chosen = this.#chosen.get(key) ?? this.#choose(address, from)
    this.#chosen.set(key, chosen)
    if (chosen.outcome !== 'found') return chosen
    const { path } = chosen
    if (path === address) {
      this.#fetching?.locations.learn(location)
      return chosen
    }
    const claims = this.#claimsOf(fileKey(path) ?? path)
    const { rivals } = claims
    rivals.add(address)
    claims.lacksMapping ||= !this.#map.byAddress.has(address)
    if (rivals.size === 1 || !claims.lacksMapping) return chosen
    const shown = nameSome(rivals, 3, ', ', toOneLine)
    const reason = `${path} would serve ${shown}: map each of these addresses with --files`
    return { outcome: 'ambiguous', paths: [path], reason }
  }

  /** The identity of a local file: the only address that the map gives for it, else its path. */
  identify(path: string): string {
    const [address, ...more] = this.#mapped.get(resolve(path)) ?? []
    return address === undefined || more.length > 0 ? identifyPath(path) : address
  }

  #choose(address: string, from: string): FoundFile {
    const names = spellingsOf(lastSegment(address))
    const named = names.map((name) => this.#named.get(name)).find((files) => files !== undefined) ?? []
    const { byAddress, byName } = this.#map
    const given = byAddress.get(address) ?? names.map((name) => byName.get(name)).find((path) => path !== undefined)
    if (given === undefined && named.length > 1) {
      const reason = `${toOneLine(address)} could be ${nameSome(named)}: map it with --files`
      return { outcome: 'ambiguous', paths: named, reason }
    }
    const beside = isRemote(from) ? [] : names.map((name) => join(dirname(from), name))
    const chosen = given ?? named[0]
    const path = (chosen === undefined ? beside : [chosen]).find((each) => fileKey(each) !== undefined)
    if (path !== undefined) return { outcome: 'found', path }
    const isFetched = given === undefined && isRemote(address) && this.#fetches(address, from)
    return isFetched ? { outcome: 'found', path: address } : { outcome: 'missing' }
  }

  #fetches(address: string, from: string): boolean {
    if (this.#fetching === undefined) return false
    return this.#fetching.fetchesAll || isRemote(from) || this.#namedAddresses.has(address)
  }
}

/** A last segment as it is listed, and as a file is named: `Gold%20PPO.json` is `Gold PPO.json`, never another folder. */
function spellingsOf(segment: string): readonly string[] {
  try {
    const decoded = decodeURIComponent(segment)
    return decoded === segment || /[/\\]|^\.\.?$/.test(decoded) ? [segment] : [segment, decoded]
  } catch {
    return [segment]
  }
}

/** Equal for all paths of one file: links, and names that differ by case on a case-insensitive file system. */
function fileKey(path: string): string | undefined {
  try {
    const info = statSync(path, { bigint: true })
    return info.isDirectory() ? undefined : `${info.dev}:${info.ino}`
  } catch {
    // An address may contain what a path cannot, such as a NUL or an overlong segment.
    return undefined
  }
}

async function readMap(path: string | undefined): Promise<FileMap> {
  if (path === undefined) return { byAddress: new Map(), byName: new Map() }
  try {
    const entries = Object.entries(v.parse(mapSchema, JSON.parse(await readFile(path, 'utf8'))))
    const files = entries.map(([key, file]) => [key, resolve(dirname(path), file)] as const)
    const ofAddresses = files.filter(([key]) => key.includes('/'))
    return {
      byAddress: new Map(ofAddresses.map(([key, file]) => [identifyAddress(key), file])),
      byName: new Map(files.filter(([key]) => !key.includes('/'))),
    }
  } catch (cause) {
    throw new LoadRefused(path, 'is not a map of files: a JSON object of addresses and local paths', { cause })
  }
}
