import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import type { EarlyEnd, Environment } from './environment.ts'
import { startEnvironment } from './environment.ts'
import type { FunctionDefinition } from './function-definition.ts'
import { openLogFile } from './log-file.ts'
import type { InvocationResult } from './worker.ts'

/** Runs functions as Lambda does: an environment serves one invocation at a time, and is kept for the next. */
export interface Functions {
  /** @throws UnknownFunction where no function has the ARN */
  invoke(arn: string, event: unknown, requestId: string): Promise<InvocationResult>
  /** Ends the environment that runs an invocation before its time; nothing where none does. */
  end(requestId: string, how: EarlyEnd): void
  close(): Promise<void>
}

/** An invocation of a function, by whoever called it. */
export interface Invocation {
  /** The function's construct: `StartQuery`. */
  readonly functionName: string
  /** What the SDK's calls of this invocation are traced by, see trace.ts. */
  readonly requestId: string
  readonly event: unknown
}

/** How many environments a function may have; further invocations wait for one. */
const mostEnvironments = 8

/** Keeps a function's environments, and lends each to one invocation at a time. */
interface Pool {
  readonly definition: FunctionDefinition
  readonly log: Writable
  readonly idle: Environment[]
  readonly waiting: (() => void)[]
  readonly all: Set<Environment>
  busy: number
}

/**
 * @param logFolder where each function's standard output goes, one file a function
 * @param onInvocation is told of every invocation before it begins
 */
export function startFunctions(
  definitions: readonly FunctionDefinition[],
  logFolder: string,
  onInvocation: (invocation: Invocation) => void = () => {},
): Functions {
  mkdirSync(logFolder, { recursive: true })
  const pools = new Map(definitions.map((definition) => [definition.arn, createPool(definition, logFolder)]))

  const running = new Map<string, Environment>()
  let closed = false

  return {
    invoke: async (arn, event, requestId) => {
      const pool = pools.get(arn)
      if (pool === undefined) throw new UnknownFunction(arn)
      // An environment that is begun after the others were ended would keep the process alive.
      if (closed) throw new FunctionsClosed()
      const environment = await borrow(pool)
      running.set(requestId, environment)
      onInvocation({ functionName: pool.definition.name, requestId, event })
      try {
        return await environment.invoke(event, requestId)
      } finally {
        running.delete(requestId)
        giveBack(pool, environment)
      }
    },
    end: (requestId, how) => running.get(requestId)?.end(how),
    close: async () => {
      closed = true
      const environments = [...pools.values()].flatMap(({ all }) => [...all])
      await Promise.all(environments.map((environment) => environment.close()))
      await Promise.all([...pools.values()].map(({ log }) => new Promise<void>((resolve) => log.end(() => resolve()))))
    },
  }
}

/** The service stops: nothing is begun any more. */
export class FunctionsClosed extends Error {
  override readonly name = 'FunctionsClosed'
}

/** The template asks for a function that it does not have. */
export class UnknownFunction extends Error {
  override readonly name = 'UnknownFunction'
  constructor(arn: string) {
    super(`there is no function ${arn}`)
  }
}

function createPool(definition: FunctionDefinition, logFolder: string): Pool {
  const log = openLogFile(join(logFolder, `${definition.name}.log`))
  // Two streams of every environment go into it.
  log.setMaxListeners(0)
  return { definition, log, idle: [], waiting: [], all: new Set(), busy: 0 }
}

async function borrow(pool: Pool): Promise<Environment> {
  while (pool.busy >= mostEnvironments) await new Promise<void>((resolve) => pool.waiting.push(resolve))
  pool.busy += 1
  const idle = pool.idle.pop()
  if (idle !== undefined && !idle.isDead) return idle
  if (idle !== undefined) pool.all.delete(idle)
  const fresh = startEnvironment(pool.definition, pool.log)
  pool.all.add(fresh)
  return fresh
}

function giveBack(pool: Pool, environment: Environment): void {
  pool.busy -= 1
  if (environment.isDead) pool.all.delete(environment)
  else pool.idle.push(environment)
  pool.waiting.shift()?.()
}
