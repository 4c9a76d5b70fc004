import { DownloadFailed } from '../errors.ts'
import type { WantedFile } from './download-file.ts'

/** Without separators, streams of NTFS (`a:b`), short names (`A~1`), and clashes with what belongs to a download. */
const plainName = /^[a-z0-9][a-z0-9._-]{0,199}\.parquet$/i

/** With any ending. Source: Microsoft, "Naming Files, Paths, and Namespaces". */
const windowsDevice = /^(con|prn|aux|nul|com\d|lpt\d)\./i

/**
 * Refuses files that a service must not make a client write: a name is joined to a folder of the user. The same names
 * are refused on every system, and names that differ only in case are one file on some.
 *
 * @throws DownloadFailed
 */
export function refuseHostileFiles(files: readonly WantedFile[]): void {
  const taken = new Set<string>()
  for (const { name, bytes } of files) {
    const isPlain = typeof name === 'string' && plainName.test(name) && !windowsDevice.test(name)
    const shown = JSON.stringify(name)?.slice(0, 100)
    if (!isPlain)
      throw new DownloadFailed(`the service names a file ${shown}: only plain names of Parquet files are written`)
    if (!Number.isSafeInteger(bytes) || bytes < 0)
      throw new DownloadFailed(`the service does not state the size of ${shown}`)
    if (taken.has(name.toLowerCase()))
      throw new DownloadFailed(`the service names two files ${shown}, if case is ignored`)
    taken.add(name.toLowerCase())
  }
}
