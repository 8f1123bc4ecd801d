import { beginWork } from "../settled.ts";
import { type Core, CoreError, describeFailure } from "./core.ts";
import type { Engine } from "./viewer.ts";

/** The same-thread form of the core, for tests and for browsers that refuse a module worker. */
export function localCore(engine: Promise<Engine>): Core {
  return new Proxy({} as Core, {
    get:
      (_, call) =>
      async (...args: unknown[]) => {
        const end = beginWork();
        try {
          return await ((await engine)[call as keyof Engine] as (...args: unknown[]) => unknown)(...args);
        } catch (failure) {
          const { error, fatal, kind } = describeFailure(failure);
          throw new CoreError(error, fatal, kind);
        } finally {
          end();
        }
      },
  });
}
