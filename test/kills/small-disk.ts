import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A disk of a few megabytes in memory, which can be filled and made read-only. */
export interface SmallDisk {
  readonly folder: string
  /** Takes all room that is left. */
  fill(): void
  /** Gives it back. */
  free(): void
  /** Lets nothing be opened for writing below the folder. What is open can still be written: so it is with every bind mount. */
  forbidWrites(folder: string): void
  allowWrites(folder: string): void
  remove(): void
}

/** Whether this process may mount, as root may on Linux. */
export const canMount = (() => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  const folder = mkdtempSync(join(tmpdir(), 'mount-'))
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]).status === 0
  if (isMounted) execFileSync('umount', [folder])
  rmdirSync(folder)
  return isMounted
})()

/** Mounts one. */
export function mountSmallDisk(megabytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'disk-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder])
  const filler = join(folder, 'filler')
  return {
    folder,
    fill: () => {
      // Ever smaller pieces, down to a page, which is the least that the disk gives.
      for (let bytes = 1024 * 1024; bytes >= 4096; bytes /= 4) while (takes(filler, bytes));
    },
    free: () => rmSync(filler, { force: true }),
    forbidWrites: (below) => {
      execFileSync('mount', ['--bind', below, below])
      execFileSync('mount', ['-o', 'remount,ro,bind', below])
    },
    allowWrites: (below) => {
      execFileSync('umount', [below])
    },
    remove: () => {
      execFileSync('umount', ['--lazy', '--recursive', folder])
      rmdirSync(folder)
    },
  }
}

function takes(file: string, bytes: number): boolean {
  try {
    writeFileSync(file, Buffer.alloc(bytes), { flag: 'a' })
    return true
  } catch {
    return false
  }
}
