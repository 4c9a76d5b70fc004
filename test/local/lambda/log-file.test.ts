import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { openLogFile } from '../../../local/lambda/log-file.ts'
import { canMount, mountSmallDisk } from '../../kills/disks/small-disk.ts'

it.skipIf(!canMount)(
  'drops lines of a log while its disk is full, and then continues (needs root on Linux)',
  async () => {
    const disk = mountSmallDisk(4)
    try {
      const file = join(disk.folder, 'function.log')
      const log = openLogFile(file)
      const write = promisify((text: string, done: (error?: Error | null) => void) => log.write(text, done))
      await write('before\n')
      disk.fill()
      await write('x'.repeat(10_000))
      disk.free()
      await write('\nafter\n')
      expect(readFileSync(file, 'utf8')).toMatch(/^before\nx*\nafter\n$/)
    } finally {
      disk.remove()
    }
  },
)
