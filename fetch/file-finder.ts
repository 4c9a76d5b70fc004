import { statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import * as v from 'valibot'
import { oncePer } from '../core/once-per.ts'
import { at } from '../schema/at.ts'
import { nameSome } from '../schema/phrases.ts'
import { identifyAddress, identifyPath, isRemote, lastSegment, nameOfFile } from './file-address.ts'
import { LoadRefused, toOneLine } from './load-refused.ts'
import type { SignedLocations } from './remote/signed-locations.ts'

/** A local file and its published identity. */
export interface FileToRead {
  readonly identity: string
  /** As the operator gave it, or as the finder returned it. */
  readonly path: string
}

/** The file of an address in a published file: the path of a local one, or the address if it is fetched. */
export type FoundFile =
  | { readonly outcome: 'found'; readonly path: string }
  | { readonly outcome: 'missing' }
  /** Several files match; the reason says what to do. */
  | { readonly outcome: 'ambiguous'; readonly paths: readonly string[]; readonly reason: string }

/** The operator's map: local files by whole address, and by last segment. */
interface FileMap {
  readonly byAddress: ReadonlyMap<string, string>
  readonly byName: ReadonlyMap<string, string>
}

/** The choice of files that are fetched. */
interface Fetching {
  /** Remembers the URLs of files that are fetched. */
  readonly locations: SignedLocations
  /** True if files are also fetched when only local files list or refer to them. */
  readonly fetchesAll: boolean
}

const mapSchema = v.pipe(
  v.unknown(),
  v.check((map) => !Array.isArray(map)),
  v.record(v.string(), v.string()),
)

/**
 * Finds the local files of addresses in published files: by the operator's map, then by last segment among the files
 * that the operator named, then by last segment next to the file that contains the address. Files that are listed or
 * referred to by a remote file are fetched if there is no local one.
 *
 * A local file that matches two addresses belongs to neither, unless the map gives it for each whole address. Callers
 * therefore look up all addresses before they use any result, or look them up again.
 */
export class FileFinder {
  readonly #map: FileMap
  /** The map's entries of whole addresses, by local file. */
  readonly #mappingsByFile: ReadonlyMap<string, readonly (readonly [address: string, file: string])[]>
  /** The local files that the operator named, by last segment. */
  readonly #filesByName: ReadonlyMap<string, readonly string[]>
  /** The addresses that the operator named. */
  readonly #operatorAddresses: ReadonlySet<string>
  readonly #fetching: Fetching | undefined
  readonly #choices = new Map<string, FoundFile>()
  /** The addresses that a local file was found for; `lacksMapping` is true if the map lacks any of them. */
  readonly #claimsOf = oncePer((_file: string) => ({ rivals: new Set<string>(), lacksMapping: false }))

  private constructor(files: readonly string[], map: FileMap, fetching: Fetching | undefined) {
    this.#map = map
    this.#mappingsByFile = Map.groupBy(map.byAddress, ([, file]) => file)
    this.#fetching = fetching
    this.#operatorAddresses = new Set(files.filter(isRemote))
    this.#filesByName = Map.groupBy(
      files.filter((file) => !isRemote(file)),
      nameOfFile,
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
    const choice = this.#choices.get(key) ?? this.#choose(address, from)
    this.#choices.set(key, choice)
    if (choice.outcome !== 'found') return choice
    const { path } = choice
    if (path === address) {
      this.#fetching?.locations.learn(location)
      return choice
    }
    const claims = this.#claimsOf(fileKey(path) ?? path)
    const { rivals } = claims
    rivals.add(address)
    claims.lacksMapping ||= !this.#map.byAddress.has(address)
    if (rivals.size === 1 || !claims.lacksMapping) return choice
    const addresses = nameSome(rivals, 3, ', ', toOneLine)
    const reason = `${path} would serve ${addresses}: map each of these addresses with --files`
    return { outcome: 'ambiguous', paths: [path], reason }
  }

  /** Returns the identity of a local file: its address in the map if it has exactly one there, else its path. */
  identify(path: string): string {
    const [mapping, ...otherMappings] = this.#mappingsByFile.get(resolve(path)) ?? []
    return mapping === undefined || otherMappings.length > 0 ? identifyPath(path) : mapping[0]
  }

  #choose(address: string, from: string): FoundFile {
    const names = spellingsOf(lastSegment(address))
    const { byAddress, byName } = this.#map
    const mapping = byAddress.get(address) ?? names.map((name) => byName.get(name)).find((path) => path !== undefined)
    const candidates = names.map((name) => this.#filesByName.get(name)).find((files) => files !== undefined) ?? []
    if (mapping === undefined && candidates.length > 1) {
      const reason = `${toOneLine(address)} could be ${nameSome(candidates)}: map it with --files`
      return { outcome: 'ambiguous', paths: candidates, reason }
    }
    const operatorFile = mapping ?? candidates[0]
    const neighbours = isRemote(from)
      ? []
      : [...findBelow(address, from), ...names.map((name) => join(dirname(from), name))]
    const paths = operatorFile === undefined ? neighbours : [operatorFile]
    const path = paths.find((candidate) => fileKey(candidate) !== undefined)
    if (path !== undefined) return { outcome: 'found', path }
    const isFetched = mapping === undefined && isRemote(address) && this.#fetches(address, from)
    return isFetched ? { outcome: 'found', path: address } : { outcome: 'missing' }
  }

  #fetches(address: string, from: string): boolean {
    if (this.#fetching === undefined) return false
    return this.#fetching.fetchesAll || isRemote(from) || this.#operatorAddresses.has(address)
  }
}

/**
 * Returns the names that a file of a last segment can have: the segment, and its decoded form. `Gold%20PPO.json` is
 * `Gold PPO.json`. A form that would name another folder is left out.
 */
function spellingsOf(segment: string): readonly string[] {
  try {
    const decoded = decodeURIComponent(segment)
    return decoded === segment || /[/\\]|^\.\.?$/.test(decoded) ? [segment] : [segment, decoded]
  } catch {
    return [segment]
  }
}

/**
 * Lists the paths that a relative location can mean in the folder of the local file that contains it. One that leaves
 * the folder is left out, because a published file must not choose any file of this machine.
 */
function findBelow(location: string, from: string): readonly string[] {
  if (URL.canParse(location) || /^[/\\]/.test(location)) return []
  const folder = resolve(dirname(from))
  const relative = at(location.split(/[?#]/, 1), 0)
  return [location, relative, ...decode(relative)]
    .map((path) => resolve(folder, path))
    .filter((path) => path.startsWith(folder + sep))
}

function decode(text: string): readonly string[] {
  try {
    return [decodeURIComponent(text)]
  } catch {
    return []
  }
}

/** Returns a key that is equal for all paths of a file: links, and other cases where the file system ignores case. */
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
    const isAddress = ([key]: readonly [string, string]) => key.includes('/')
    return {
      byAddress: new Map(files.filter(isAddress).map(([key, file]) => [identifyAddress(key), file])),
      byName: new Map(files.filter((entry) => !isAddress(entry))),
    }
  } catch (cause) {
    throw new LoadRefused(path, 'is not a map of files: a JSON object of addresses and local paths', { cause })
  }
}
