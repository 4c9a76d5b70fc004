import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startLocalService } from '../bin/command/local-service.ts'
import type { LocalService } from '../local/service.ts'

/** Runs `use` on a new local service, whose folder is removed afterwards. */
export async function withService(
  use: (service: LocalService, folder: string) => Promise<void>,
  options?: Parameters<typeof startLocalService>[2],
): Promise<void> {
  await using ending = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'bench-'))
  ending.defer(() => rm(folder, { recursive: true, force: true }))
  const service = ending.adopt(await startLocalService(folder, 0, options), ({ close }) => close())
  await use(service, folder)
}
