import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { PortInUse, type RunningServer } from '../http-server.ts'

/**
 * Starts a server on the port it used last time, so that URLs handed out earlier still work. Uses another port if there
 * was none or it is taken.
 *
 * @param file stores the port
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

/** Returns 0, which picks a free port, if the file has no valid port: a killed process may have left it empty. */
function readPort(file: string): number {
  const port = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : 0
}
