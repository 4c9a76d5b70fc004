import { randomUUID } from 'node:crypto'
import { link, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { CommandFailed } from '../command-line/command-errors.ts'
import type { World } from '../command-line/world.ts'
import { makeFolder } from '../downloads/make-folder.ts'
import { codeOf } from '../errors.ts'

/** The state of a search that a command has started. It contains no API key. */
export interface SearchState {
  /** Sent with the search, so that retries create it only once. Stored before the first request. */
  readonly idempotency_key: string
  readonly job_id?: string
}

/** Stores the state of one search in a file. */
export class SearchStateFile {
  readonly #path: string

  constructor(world: World, name: string) {
    this.#path = join(stateFolder(world), `${name}.json`)
  }

  async read(): Promise<SearchState | undefined> {
    try {
      const state: Partial<SearchState> = JSON.parse(await readFile(this.#path, 'utf8'))
      return typeof state.idempotency_key === 'string'
        ? { ...state, idempotency_key: state.idempotency_key }
        : undefined
    } catch (error) {
      // A file that is not JSON was truncated before its first use.
      if (error instanceof SyntaxError || codeOf(error) === 'ENOENT') return undefined
      throw this.#unusable(error)
    }
  }

  /**
   * Writes the state of a new search and returns it. If another process was first, returns the state of that process: a
   * link is created atomically, so of two concurrent processes one reads what the other wrote.
   */
  async begin(fresh: SearchState): Promise<SearchState> {
    const draft = `${this.#path}.${fresh.idempotency_key}`
    try {
      await makeFolder(dirname(this.#path), 0o700)
      await writeFile(draft, JSON.stringify(fresh), { mode: 0o600, flush: true })
      await link(draft, this.#path)
      return fresh
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw this.#unusable(error)
    } finally {
      await rm(draft, { force: true }).catch(() => {})
    }
    const other = await this.read()
    if (other !== undefined) return other
    await this.write(fresh)
    return fresh
  }

  /** Replaces the state atomically, so that a crash leaves the old one or the new one. */
  async write(state: SearchState): Promise<void> {
    const draft = `${this.#path}.${randomUUID()}`
    try {
      await writeFile(draft, JSON.stringify(state), { mode: 0o600, flush: true })
      await rename(draft, this.#path)
    } catch (error) {
      throw this.#unusable(error)
    }
  }

  async remove(): Promise<void> {
    await rm(this.#path, { force: true })
  }

  #unusable(error: unknown): CommandFailed {
    const reason = error instanceof Error ? error.message : String(error)
    return new CommandFailed(
      `the state of the search cannot be stored: ${reason}; set RATE_SEARCH_STATE to another folder`,
    )
  }
}

/** Days after which the state of a search is removed: services keep results for some weeks at most. */
const maxStateDays = 365

/** Removes the states of searches, and drafts of them, that have not changed for a year. */
export async function removeOldStates(world: World): Promise<void> {
  const folder = stateFolder(world)
  const oldest = world.today().getTime() - maxStateDays * 24 * 3600_000
  const names = await readdir(folder).catch(() => [])
  for (const name of names.filter((each) => /^[0-9a-f]{32}\.json/.test(each))) {
    const path = join(folder, name)
    // Another process may remove it at the same time.
    const changedAt = (await stat(path).catch(() => undefined))?.mtimeMs
    if (changedAt !== undefined && changedAt < oldest) await rm(path, { force: true }).catch(() => {})
  }
}

/** Source: XDG Base Directory Specification, "XDG_STATE_HOME". */
function stateFolder({ environment, home, platform }: World): string {
  const { RATE_SEARCH_STATE: folder, XDG_STATE_HOME: xdg, LOCALAPPDATA: local } = environment
  if (folder) return folder
  if (platform === 'win32') return join(local || join(home, 'AppData', 'Local'), 'rate-search')
  return join(xdg || join(home, '.local', 'state'), 'rate-search')
}
