import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A small in-memory disk that can be filled and made read-only. */
export interface SmallDisk {
  readonly folder: string
  /** Uses up all free space. */
  fill(): void
  /** Frees that space. */
  free(): void
  /** Makes the folder read-only with a bind mount. Files that are already open for writing stay writable. */
  forbidWrites(folder: string): void
  allowWrites(folder: string): void
  remove(): void
}

/** True if this process can mount disks, as only root on Linux can. */
export const canMount = (() => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  const folder = mkdtempSync(join(tmpdir(), 'mount-'))
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]).status === 0
  if (isMounted) execFileSync('umount', [folder])
  rmdirSync(folder)
  return isMounted
})()

/** Mounts a disk of the given size. */
export function mountSmallDisk(megabytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'disk-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder])
  const filler = join(folder, 'filler')
  return {
    folder,
    fill: () => {
      // In ever smaller pieces, down to a page: the disk's unit of allocation.
      for (let bytes = 1024 * 1024; bytes >= 4096; bytes /= 4) while (takes(filler, bytes));
    },
    free: () => rmSync(filler, { force: true }),
    forbidWrites: (below) => {
      // Made read-only at another path first, where no file can be open for writing: that would refuse it.
      const aside = `${below}-read-only`
      mkdirSync(aside)
      execFileSync('mount', ['--bind', below, aside])
      execFileSync('mount', ['-o', 'remount,ro,bind', aside])
      execFileSync('mount', ['--bind', aside, below])
      execFileSync('umount', [aside])
      rmdirSync(aside)
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
