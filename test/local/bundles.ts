import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FunctionDefinition } from '../../local/lambda/function-definition.ts'
import { type Functions, startFunctions } from '../../local/lambda/functions.ts'

/** A test function: the text of its bundle, and settings that differ from the defaults. */
export interface TestFunction {
  readonly bundle: string
  readonly timeoutSeconds?: number
  readonly environment?: Readonly<Record<string, string>>
}

export interface TestFunctions extends Functions {
  arnOf(name: string): string
  [Symbol.asyncDispose](): Promise<void>
}

export const arnOf = (name: string) => `arn:aws:lambda:us-east-1:000000000000:function:${name}`

/** Writes the bundles to a temporary folder and runs them as the local Lambda does. */
export function openFunctions(functions: Readonly<Record<string, TestFunction>>): TestFunctions {
  const folder = mkdtempSync(join(tmpdir(), 'functions-'))
  const definitions = Object.entries(functions).map(([name, testFunction]): FunctionDefinition => {
    const bundle = join(folder, `${name}.mjs`)
    writeFileSync(bundle, testFunction.bundle)
    const { timeoutSeconds = 20, environment = {} } = testFunction
    return { arn: arnOf(name), name, bundle, timeoutSeconds, environment }
  })
  const running = startFunctions(definitions, join(folder, 'logs'))
  const close = async () => {
    await running.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return { invoke: running.invoke, end: running.end, close, arnOf, [Symbol.asyncDispose]: close }
}
