package ghosttape.witness;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Set;

/**
 * Runs a Java program's main, and says on standard error whether it came to its end. In a package, as a program may have
 * a class of any name in none.
 */
public final class Drive {
    private static final Set<String> EXITS = Set.of("java.lang.System.exit", "java.lang.Runtime.exit");
    private static volatile boolean returned;
    private static volatile String nonce;

    private Drive() {}

    /** Takes the name of the class with main; what main throws is thrown on, as if nobody had stood between. */
    public static void main(String[] arguments) throws Throwable {
        java.nio.file.Path file = java.nio.file.Path.of(".witness");
        nonce = java.nio.file.Files.readString(file).strip();
        java.nio.file.Files.delete(file);
        Runtime.getRuntime().addShutdownHook(new Thread(Drive::leave));
        try {
            Method main = Class.forName(arguments[0]).getDeclaredMethod("main", String[].class);
            main.setAccessible(true);
            main.invoke(null, (Object) new String[0]);
            returned = true;
        } catch (InvocationTargetException wrapped) {
            throw wrapped.getCause();
        }
    }

    /** Says that a statement with a probe was reached; its class calls this once for each. */
    public static void ran(int number) {
        say("ran " + number);
    }

    private static void leave() {
        int line = leftAt();
        say(line >= 0 ? "exit " + line : returned ? "end" : "left");
    }

    /** The line that called an exit, 0 if it has none, -1 if nothing called one. */
    private static int leftAt() {
        for (StackTraceElement[] stack : Thread.getAllStackTraces().values()) {
            for (int i = stack.length - 1; i >= 0; i--) {
                if (EXITS.contains(stack[i].getClassName() + "." + stack[i].getMethodName())) {
                    return i + 1 < stack.length ? Math.max(0, stack[i + 1].getLineNumber()) : 0;
                }
            }
        }
        return -1;
    }

    private static void say(String word) {
        java.io.PrintStream errors = new java.io.PrintStream(new java.io.FileOutputStream(java.io.FileDescriptor.err));
        errors.print("\n" + nonce + " " + word + "\n");
        errors.flush();
    }
}
