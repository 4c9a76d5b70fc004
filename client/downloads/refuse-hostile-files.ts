import { DownloadFailed } from '../errors.ts'
import type { FileFacts } from './download-file.ts'

/** Excludes separators, streams of NTFS (`a:b`), short names (`A~1`), and names of partial files and their drafts. */
const plainName = /^[a-z0-9][a-z0-9._-]{0,199}\.parquet$/i

/** Names of devices with any ending. Source: Microsoft, "Naming Files, Paths, and Namespaces". */
const windowsDevice = /^(con|prn|aux|nul|com\d|lpt\d)\./i

/**
 * Refuses files that a service must not make a client write: a name is joined to a folder of the user. The same names
 * are refused on every system, and names that differ only in case are one file on some.
 *
 * @throws DownloadFailed
 */
export function refuseHostileFiles(files: readonly FileFacts[]): void {
  const lowerCaseNames = new Set<string>()
  for (const { name, bytes } of files) {
    const isPlain = typeof name === 'string' && plainName.test(name) && !windowsDevice.test(name)
    const shown = JSON.stringify(name)?.slice(0, 100)
    if (!isPlain)
      throw new DownloadFailed(`the service names a file ${shown}: only plain names of Parquet files are written`)
    if (!Number.isSafeInteger(bytes) || bytes < 0)
      throw new DownloadFailed(`the service does not state the size of ${shown}`)
    if (lowerCaseNames.has(name.toLowerCase()))
      throw new DownloadFailed(`the service names two files ${shown} that differ at most in case`)
    lowerCaseNames.add(name.toLowerCase())
  }
}
