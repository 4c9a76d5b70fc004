import { access, constants, mkdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { codeOf, DownloadFailed } from '../errors.ts'
import { describeCause } from '../transport.ts'

/**
 * Makes a folder and its missing parents. Node's own recursive `mkdir` never ends in folders such as
 * `/proc`, which refuse new ones with ENOENT.
 *
 * @param mode permissions of new folders
 * @throws DownloadFailed if it cannot be made or written to
 */
export async function makeFolder(folder: string, mode?: number): Promise<void> {
  try {
    await makeMissing(resolve(folder), mode)
    await access(folder, constants.W_OK)
  } catch (cause) {
    throw new DownloadFailed(`the folder ${folder} cannot be made or written to: ${describeCause(cause)}`, { cause })
  }
}

async function makeMissing(folder: string, mode: number | undefined): Promise<void> {
  const status = await stat(folder).catch(() => undefined)
  if (status?.isDirectory()) return
  if (status !== undefined) throw new Error(`${folder} is not a folder`)
  if (dirname(folder) !== folder) await makeMissing(dirname(folder), mode)
  await mkdir(folder, mode).catch((error: unknown) => {
    // Another process may make it at the same time.
    if (codeOf(error) !== 'EEXIST') throw error
  })
}
