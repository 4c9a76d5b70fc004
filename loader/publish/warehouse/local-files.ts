import { createReadStream, existsSync, statSync } from 'node:fs'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { FileDiffers, haveSameBytes } from '../../../adapters/s3/compare-bytes.ts'
import type { WarehouseFile, WarehouseFiles } from '../../../adapters/s3/s3-warehouse-files.ts'

/** Stores the files of a warehouse in a local folder, on whose file system the uploaded files must be. */
export function openLocalFiles(root: string): WarehouseFiles {
  async function list(prefix: string): Promise<readonly WarehouseFile[]> {
    const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1)
    const names = existsSync(join(root, folder)) ? await readdir(join(root, folder), { recursive: true }) : []
    const paths = names.map((name) => folder + name.replaceAll(sep, '/')).filter((path) => path.startsWith(prefix))
    return paths.sort().flatMap((path) => {
      // Another process may just have removed it.
      const facts = statSync(join(root, path), { throwIfNoEntry: false })
      return facts?.isFile() ? [{ path, bytes: facts.size, modifiedAt: facts.mtime }] : []
    })
  }
  return {
    async upload(path, filePath) {
      const target = join(root, path)
      await mkdir(dirname(target), { recursive: true })
      if (!existsSync(target)) await rename(filePath, target)
      else if (!(await haveSameBytes(createReadStream(target), createReadStream(filePath))))
        throw new FileDiffers(target)
    },
    exists: async (path) => existsSync(join(root, path)),
    list,
    async removeBelow(prefix) {
      await Promise.all((await list(prefix)).map(({ path }) => rm(join(root, path), { force: true })))
    },
  }
}
