import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { RunningServer } from './http-server.ts'
import { PortInUse } from './http-server.ts'

/**
 * Starts a server on the port that it had the last time, so that addresses which were given out lead to it again; on
 * another one where there was no last time, or somebody else has the port by now.
 *
 * @param file keeps the port
 */
export async function startOnKeptPort<Server extends RunningServer>(
  file: string,
  start: (port: number) => Promise<Server>,
): Promise<Server> {
  const server = await startAnywhere(readPort(file), start)
  writeFileSync(file, new URL(server.url).port)
  return server
}

async function startAnywhere<Server>(port: number, start: (port: number) => Promise<Server>): Promise<Server> {
  try {
    return await start(port)
  } catch (error) {
    if (error instanceof PortInUse) return start(0)
    throw error
  }
}

/** 0, which picks a free one, where the file has none: a killed process may have left it empty. */
function readPort(file: string): number {
  const port = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : 0
}
