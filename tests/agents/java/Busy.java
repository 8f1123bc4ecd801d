import io.pyroscope.labels.v2.LabelsSet;
import io.pyroscope.labels.v2.Pyroscope.LabelsWrapper;

/** A program with a known hot function; the agent stands before it as -javaagent. */
public final class Busy {
    static volatile long sink;
    static final byte[][] kept = new byte[64][];

    public static void main(String[] arguments) throws Exception {
        long end = System.nanoTime() + Long.parseLong(System.getenv("AGENT_SECONDS")) * 1_000_000_000L;
        for (int round = 0; System.nanoTime() < end; round++) {
            LabelsWrapper.run(new LabelsSet("step", "hot"), Busy::hotWork);
            mildWork();
            kept[round % kept.length] = new byte[256 << 10];
        }
    }

    static void hotWork() {
        sum(30_000_000);
    }

    static void mildWork() {
        sum(10_000_000);
    }

    static void sum(long steps) {
        long total = 0;
        for (long step = 0; step < steps; step++) total ^= step * 31 + (total >>> 3);
        sink = total;
    }
}
